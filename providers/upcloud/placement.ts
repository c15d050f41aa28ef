import type { CreateContext, Scope } from '../../sdk/index.js';
import { isNotFound, type ServerGroup } from './client/index.js';
import { type Cloud, lookUntilBelieved } from './cloud/cloud.js';
import { createLabels, filterByScope, listLabels, sortByAge } from './cloud/labels.js';

/** Finds or creates the group whose servers never share a physical machine. */
export async function ensurePlacement(cloud: Cloud, word: string, context: CreateContext): Promise<ServerGroup> {
  const { scope, signal } = context;
  const look = async () =>
    sortByAge(await cloud.client.serverGroups.list({ labels: filterByScope(scope, 'placement', word) }, { signal }));
  return cloud.inTurn(`placement/${scope.uuid}`, async () => {
    const [known] = await lookUntilBelieved(cloud, signal, look);
    if (known) return known;
    return cloud.client.serverGroups.create(
      { title: `${scope.infra}-${word}`, anti_affinity: 'strict', labels: listLabels(createLabels(context, 'placement', word)) },
      { signal },
    );
  });
}

/** Deletes the infra's groups without servers, or only the named one. */
export async function removePlacements(cloud: Cloud, scope: Scope, word: string | undefined, signal?: AbortSignal): Promise<void> {
  await cloud.inTurn(`placement/${scope.uuid}`, async () => {
    const rows = await cloud.client.serverGroups.list({ labels: filterByScope(scope, 'placement', word) }, { signal });
    for (const { uuid } of rows.filter(({ servers }) => (servers ?? []).length === 0)) await removeGroup(cloud, uuid, signal);
  });
}

/** Deletes a group. A missing group is ignored. */
export async function removeGroup({ client }: Cloud, uuid: string, signal?: AbortSignal): Promise<void> {
  await client.serverGroups.delete(uuid, { signal }).catch((error) => {
    if (!isNotFound(error)) throw error;
  });
}
