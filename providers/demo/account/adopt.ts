import { type CreateContext, type FoundServer, inputError } from '../../../sdk/index.js';
import { throwGone } from '../errors.js';
import { describeServer, type Servers } from '../servers/describe.js';
import { effect } from '../store/calls.js';
import { checkOurs } from '../store/ownership.js';
import { type DemoServer, idOf, note } from '../store/state.js';

/** Adopts a server that was created elsewhere. */
export function adoptServer(
  { store, account }: Servers,
  id: string,
  name: string,
  { scope, key, signal }: CreateContext,
): Promise<FoundServer> {
  const describe = (server: DemoServer) => describeServer(server, account);
  return effect(store, { verb: 'servers.adopt', name, signal }, (state, touch) => {
    const known = Object.values(state.servers).find((server) => (server.ownId ?? idOf(server.scope, server.name)) === id);
    if (known?.name === name && checkOurs('server', name, scope, known)) return describe(known);
    if (known) checkOurs('server', known.name, scope, known);
    const other = known?.name ?? checkOurs('server', name, scope, state.servers[idOf(scope, name)])?.name;
    if (other) {
      const why = known ? `the infra already has it as the server "${other}"` : `the infra already has a server "${other}"`;
      throw inputError({ code: 'name-taken', what: 'adopt the server', on: name, why });
    }
    const found = state.elsewhere[id];
    if (!found) throw throwGone('server', id);
    touch('elsewhere', id);
    touch('servers', idOf(scope, name));
    delete state.elsewhere[id];
    const { plan, image, zone } = found;
    const server: DemoServer = {
      ...{ name, plan, image, zone, scope, key, ownId: id, role: name },
      ...{ labels: {}, volumes: [], bootedAt: 0, services: {} },
    };
    state.servers[idOf(scope, name)] = server;
    note(state, 'servers.adopt', name, key);
    return describe(server);
  });
}
