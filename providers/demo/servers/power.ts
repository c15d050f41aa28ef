import type { CallContext, FoundServer } from '../../../sdk/index.js';
import { throwGone } from '../errors.js';
import { effect } from '../store/calls.js';
import { checkOurs } from '../store/ownership.js';
import { idOf, note } from '../store/state.js';
import { describeServer, type Servers } from './describe.js';

/** Stops, starts or restarts a server. */
export const powerServer = (
  { store, account }: Servers,
  name: string,
  action: 'start' | 'stop' | 'restart',
  { scope, signal }: CallContext,
): Promise<FoundServer> =>
  effect(store, { verb: `servers.${action}`, name, signal }, (state, touch) => {
    const server = checkOurs('server', name, scope, state.servers[idOf(scope, name)]) ?? throwGone('server', name);
    if (action !== 'restart' && (action === 'stop') === (server.stopped ?? false)) return describeServer(server, account);
    touch('servers', idOf(scope, name));
    if (action === 'stop') server.stopped = true;
    else delete server.stopped;
    note(state, `servers.${action}`, name, server.key);
    return describeServer(server, account);
  });
