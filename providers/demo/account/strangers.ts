import type { UnmanagedServer } from '../../../sdk/index.js';
import { ask } from '../store/calls.js';
import type { DemoStore } from '../store/store.js';

/** Lists all servers of the account, including those that the platform did not create. */
export function listStrangers(store: DemoStore, signal?: AbortSignal): Promise<UnmanagedServer[]> {
  return ask(store, { verb: 'strangers', name: 'account', signal }, ({ servers, elsewhere }) => [
    ...Object.entries(servers).map(([id, { name, plan, image, zone, scope, ownId }]) => ({
      id: ownId ?? id,
      name,
      plan,
      image,
      zone,
      scope,
    })),
    ...Object.values(elsewhere).map((server) => ({ ...server })),
  ]);
}
