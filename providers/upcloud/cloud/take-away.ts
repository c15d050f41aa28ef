import type { CreateContext } from '../../../sdk/index.js';
import { releaseAddress } from '../addresses.js';
import type { Storage } from '../client/index.js';
import { removePlacements } from '../placement.js';
import { removeServer } from '../servers/delete.js';
import { listServerVolumes, removeStorage } from '../volumes.js';
import { type Cloud, lookUntilBelieved } from './cloud.js';
import { filterByScope, read } from './labels.js';

/**
 * Deletes what was created with this key for a server that UpCloud refuses or cannot finish. Earlier resources stay,
 * such as a volume with the data of a former machine.
 */
export async function takeAway(cloud: Cloud, name: string, context: CreateContext): Promise<void> {
  const { scope, signal, key } = context;
  const { servers, serverGroups } = cloud.client;
  const isNew = ({ labels }: Pick<Storage, 'labels'>) => read(labels, 'key') === key;
  const looked = await lookUntilBelieved(cloud, signal, () =>
    servers.list({ labels: filterByScope(scope, 'server', name) }, { signal }),
  );
  if (!looked.every(isNew)) return;
  const notes = (await serverGroups.list({ labels: filterByScope(scope, 'address', name) }, { signal })).filter(isNew);
  // An address of a former machine stays for the next one.
  const stays = notes.length > 0 ? {} : { replaced: true as const };
  for (const { uuid } of looked) await removeServer(cloud, uuid, { ...stays, signal });
  for (const { uuid } of (await listServerVolumes(cloud, name, context)).filter(isNew)) await removeStorage(cloud, uuid, signal);
  if (notes.length > 0) await releaseAddress(cloud, scope, name, signal);
  const groups = await serverGroups.list({ labels: filterByScope(scope, 'placement') }, { signal });
  for (const { labels } of groups.filter(isNew)) await removePlacements(cloud, scope, read(labels, 'name'), signal);
}
