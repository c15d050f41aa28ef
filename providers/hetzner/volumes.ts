import * as z from 'zod';
import {
  type CallContext,
  type CreateContext,
  inputError,
  type ProviderConnection,
  type VolumeSpec,
  type WantedServer,
} from '../../sdk/index.js';
import { action, type Server, type Volume, volume } from './api/shapes.js';
import { hetznerName, nameIn, ownLabels, selector } from './project/labels.js';
import type { Project } from './project/project.js';

/** Minimum size of a volume, in GiB. Smaller volumes get this size. */
export const SMALLEST_VOLUME = 10;

/** Returns the path of a volume on its server, when it is attached. */
export const devicePath = ({ id }: Pick<Volume, 'id'>): string => `/dev/disk/by-id/scsi-0HC_Volume_${id}`;

export const volumeSize = (sizeGiB: number): number => Math.max(SMALLEST_VOLUME, sizeGiB);

const made = z.object({ volume, action, next_actions: z.array(action) });
const acted = z.object({ action });

/** Creates the volumes of a server before the server, in the wanted order. */
export const ensureVolumes = (
  project: Project,
  wanted: WantedServer,
  location: string,
  context: CreateContext,
): Promise<Volume[]> => Promise.all(wanted.volumes.map((spec) => ensureVolume(project, wanted.name, spec, location, context)));

/** Ensures a volume of a server, with at least the wanted size. It may be attached or not. */
export async function ensureVolume(
  project: Project,
  server: string,
  { name, sizeGiB }: VolumeSpec,
  location: string,
  context: CreateContext,
): Promise<Volume> {
  const full = `${server}/${name}`;
  const about = { what: 'make the volume', on: full };
  const size = volumeSize(sizeGiB);
  const there = await project.ensure('volume', full, context, async () => {
    const body = { name: hetznerName(context.scope, full), size, location, labels: ownLabels('volume', full, context) };
    const answer = await project.api.post(made, 'volumes', body, about);
    await project.actions.finished([answer.action, ...answer.next_actions], about);
    return answer.volume;
  });
  refuseShrinking(full, size, there);
  if (there.size < size) await grow(project, there, size, context);
  return there;
}

export function refuseShrinking(name: string, wanted: number, { size }: Volume): void {
  if (size <= wanted) return;
  throw inputError({
    code: 'volume-shrinks',
    what: 'change the volume',
    on: name,
    why: `it has ${size} GiB, and cannot become ${wanted} GiB: disks can only grow`,
    hint: `set at least ${size} GiB in the definition; the minimum of Hetzner is ${SMALLEST_VOLUME} GiB`,
  });
}

export async function grow(project: Project, { id, labels }: Volume, size: number, { signal }: CallContext): Promise<void> {
  const about = { what: 'grow the volume', on: nameIn(labels), signal };
  const answer = await project.api.post(acted, `volumes/${id}/actions/resize`, { size }, about);
  await project.actions.finished([answer.action], about);
}

export async function attach(project: Project, { id, labels }: Volume, server: Server, { signal }: CallContext): Promise<void> {
  const about = { what: 'attach the volume', on: nameIn(labels), signal };
  const answer = await project.api.post(acted, `volumes/${id}/actions/attach`, { server: server.id, automount: false }, about);
  await project.actions.finished([answer.action], about);
}

/** Deletes a volume with its data, after detaching it. */
export async function removeVolume(project: Project, { id, labels, server }: Volume, { signal }: CallContext): Promise<void> {
  const about = { what: 'delete the volume', on: nameIn(labels), signal };
  if (server !== null) {
    const answer = await project.api.post(acted, `volumes/${id}/actions/detach`, {}, about);
    await project.actions.finished([answer.action], about);
  }
  await project.api.remove(z.unknown(), `volumes/${id}`, about);
}

/** Creates the verbs for the infra's volumes, named `<server>/<volume>`. */
export function volumeVerbs(project: Project): ProviderConnection['volumes'] {
  return {
    async list({ scope, signal }) {
      signal?.throwIfAborted();
      const rows = await project.list('volume', selector(scope, 'volume'), { what: 'list the volumes', on: scope.infra, signal });
      return rows.map(({ id, labels }) => ({ name: nameIn(labels), id: String(id) })).sort((a, b) => a.name.localeCompare(b.name));
    },
    async delete(name, context) {
      const row = await project.ours('volume', name, context);
      if (row) await removeVolume(project, row, context);
    },
  };
}
