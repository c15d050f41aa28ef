import type { CallContext } from '../../../sdk/index.js';
import { dropOthers } from '../account/others.js';
import { effect } from '../store/calls.js';
import { idOf, note } from '../store/state.js';
import type { Servers } from './describe.js';

/** Deletes a server with its volumes and auxiliary resources. With `replaced`, its address stays. */
export const deleteServer = (
  { store }: Servers,
  name: string,
  { scope, signal, replaced }: CallContext & { replaced?: true },
): Promise<void> =>
  effect(store, { verb: 'servers.delete', name, signal }, (state, touch) => {
    const server = state.servers[idOf(scope, name)];
    if (server?.scope.uuid !== scope.uuid) return;
    touch('servers', idOf(scope, name));
    for (const volume of server.volumes) {
      touch('volumes', idOf(scope, `${name}/${volume}`));
      delete state.volumes[idOf(scope, `${name}/${volume}`)];
    }
    delete state.servers[idOf(scope, name)];
    dropOthers(state, server, replaced === true, touch);
    note(state, 'servers.delete', name, server.key);
  });
