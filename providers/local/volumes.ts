import { setTimeout as sleep } from 'node:timers/promises';
import type Docker from 'dockerode';
import type { CreateContext, ProviderConnection, Scope, WantedServer } from '../../sdk/index.js';
import { assertOurs, makerLabels, ownerFilter, ownerLabels, volumeName } from './docker/labels.js';
import { call, statusOf } from './errors.js';

const SERVER_LABEL = 'provisioning.server';

interface OwnedVolume {
  /** `<server>/<volume>`: servers of one group have volumes of the same name. */
  name: string;
  server: string;
  /** Docker's name. */
  id: string;
}

/** Docker makes a volume of a name once; what is there stays. Sizes are not enforced: Docker has no quota. */
export async function ensureVolumes(
  docker: Docker,
  { name: server, volumes }: WantedServer,
  { scope, key, setup }: Pick<CreateContext, 'scope' | 'key' | 'setup'>,
): Promise<void> {
  for (const { name } of volumes) {
    const full = `${server}/${name}`;
    const labels = { ...ownerLabels(scope, 'volume', full), [SERVER_LABEL]: server, ...makerLabels({ key, setup }) };
    const answer = await docker.createVolume({ Name: volumeName(scope, server, name), Labels: labels });
    const made = 'Labels' in answer ? (answer as { Labels?: Record<string, string> }).Labels : labels;
    assertOurs(scope, 'volume', full, made ?? {});
  }
}

async function owned(docker: Docker, scope: Scope): Promise<OwnedVolume[]> {
  const { Volumes } = await docker.listVolumes({ filters: ownerFilter(scope, 'volume') });
  const rows = (Volumes ?? []).map(({ Name, Labels }) => ({
    name: Labels?.['provisioning.name'] ?? '',
    server: Labels?.[SERVER_LABEL] ?? '',
    id: Name,
  }));
  return rows.sort((a, b) => a.name.localeCompare(b.name));
}

/** Deletes those of the infra's volumes that are meant, with their data. */
export async function removeVolumes(docker: Docker, scope: Scope, meant: (volume: OwnedVolume) => boolean): Promise<void> {
  for (const { id } of (await owned(docker, scope)).filter(meant)) await removeVolume(docker, id);
}

/** A container that has just been removed holds its volumes for a moment longer. */
async function removeVolume(docker: Docker, id: string): Promise<void> {
  for (let left = 10; ; left--) {
    try {
      await docker.getVolume(id).remove();
      return;
    } catch (error) {
      if (statusOf(error) === 404) return;
      if (statusOf(error) !== 409 || left === 0) throw error;
      await sleep(100);
    }
  }
}

/** Volumes of the infra, named `<server>/<volume>`. */
export function volumeVerbs(docker: Docker): ProviderConnection['volumes'] {
  return {
    list: ({ scope, signal }) =>
      call('list the volumes', scope.infra, signal, async () => (await owned(docker, scope)).map(({ name, id }) => ({ name, id }))),
    delete: (name, { scope, signal }) =>
      call('delete the volume', name, signal, () => removeVolumes(docker, scope, (volume) => volume.name === name)),
  };
}
