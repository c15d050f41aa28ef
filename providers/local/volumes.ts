import { setTimeout as sleep } from 'node:timers/promises';
import type Docker from 'dockerode';
import type { CreateContext, ProviderConnection, Scope, WantedServer } from '../../sdk/index.js';
import { assertOurs, makerLabels, ownerFilter, ownerLabels, volumeName } from './docker/labels.js';
import { call, statusOf } from './errors.js';

const SERVER_LABEL = 'provisioning.server';

interface OwnedVolume {
  /** `<server>/<volume>`: servers in one group have volumes with the same name. */
  name: string;
  server: string;
  /** Docker's name. */
  id: string;
}

/**
 * Ensures the volumes of a server. Docker creates one volume per name, and existing ones stay. Sizes are not enforced:
 * Docker has no quota.
 */
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

/** Deletes the selected volumes of the infra, with their data. */
export async function removeVolumes(docker: Docker, scope: Scope, meant: (volume: OwnedVolume) => boolean): Promise<void> {
  for (const { id } of (await owned(docker, scope)).filter(meant)) await removeVolume(docker, id);
}

/** Deletes a volume. A container holds its volumes for a moment after its removal. */
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

/** Creates the verbs for the infra's volumes, named `<server>/<volume>`. */
export function volumeVerbs(docker: Docker): ProviderConnection['volumes'] {
  return {
    list: ({ scope, signal }) =>
      call('list the volumes', scope.infra, signal, async () => (await owned(docker, scope)).map(({ name, id }) => ({ name, id }))),
    delete: (name, { scope, signal }) =>
      call('delete the volume', name, signal, () => removeVolumes(docker, scope, (volume) => volume.name === name)),
  };
}
