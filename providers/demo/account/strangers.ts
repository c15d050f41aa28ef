import type { UnmanagedServer } from '../../../sdk/index.js';
import { ask } from '../store/calls.js';
import type { DemoStore } from '../store/store.js';

/** All servers of the account, also those that nobody made by us. */
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
