import type { CallContext } from '../../../sdk/index.js';
import { releaseAddress, releaseFrom } from '../addresses.js';
import { isNotFound } from '../client/index.js';
import { type Cloud, lookUntilBelieved, pauses } from '../cloud/cloud.js';
import { turnOf } from '../cloud/find.js';
import { filterByScope } from '../cloud/labels.js';
import { call } from '../errors.js';
import { removePlacements } from '../placement.js';
import { listServerVolumes, removeStorage } from '../volumes.js';
import { busy, switchOff } from './power.js';

export const deleteServer = (cloud: Cloud, name: string, context: CallContext & { replaced?: true }): Promise<void> =>
  call('delete the server', name, context.signal, () => cloud.inTurn(turnOf(name, context), () => removeAll(cloud, name, context)));

/**
 * Deletes a server with its disks and belongings. With `replaced`, its reserved address stays. Each part is looked up
 * separately, because an earlier attempt may have stopped at any of them.
 */
async function removeAll(cloud: Cloud, name: string, context: CallContext & { replaced?: true }): Promise<void> {
  const { scope, signal, replaced } = context;
  const look = () => cloud.client.servers.list({ labels: filterByScope(scope, 'server', name) }, { signal });
  for (const { uuid } of await lookUntilBelieved(cloud, signal, look)) await removeServer(cloud, uuid, { replaced, signal });
  for (const { uuid } of await lookUntilBelieved(cloud, signal, () => listServerVolumes(cloud, name, context)))
    await removeStorage(cloud, uuid, signal);
  if (!replaced) await releaseAddress(cloud, scope, name, signal);
  await removePlacements(cloud, scope, undefined, signal);
}

/** Stops a server and deletes it with its disks. A missing server is ignored. */
export async function removeServer(
  cloud: Cloud,
  uuid: string,
  { replaced, signal }: { replaced?: true; signal?: AbortSignal },
): Promise<void> {
  const pause = pauses(cloud, signal);
  for (;;) {
    const server = await switchOff(cloud, uuid, false, signal);
    if (!server) return;
    if (!replaced) await releaseFrom(cloud, server, signal);
    try {
      await cloud.client.servers.delete(uuid, { storages: true }, { signal });
      return;
    } catch (error) {
      if (isNotFound(error)) return;
      busy(error);
    }
    await pause();
  }
}
