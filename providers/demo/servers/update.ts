import type { CreateContext, FoundServer, WantedServer } from '../../../sdk/index.js';
import { keepOthers } from '../account/others.js';
import { throwGone } from '../errors.js';
import { effect } from '../store/calls.js';
import { checkOurs } from '../store/ownership.js';
import { idOf, note } from '../store/state.js';
import { addVolumes, refuseToShrink, sizesOf } from '../volumes.js';
import { describeServer, diffServer, type Servers } from './describe.js';

/** Changes a server in place as far as possible, and starts it. Correct parts do not count as an effect. */
export const updateServer = (
  { store, account }: Servers,
  wanted: WantedServer,
  { scope, signal, key }: CreateContext,
): Promise<FoundServer> =>
  effect(store, { verb: 'servers.update', name: wanted.name, signal }, (state, touch) => {
    const server =
      checkOurs('server', wanted.name, scope, state.servers[idOf(scope, wanted.name)]) ?? throwGone('server', wanted.name);
    if (diffServer(wanted, describeServer(server, account)).action === 'noop') return describeServer(server, account);
    refuseToShrink(wanted, server);
    touch('servers', idOf(scope, wanted.name));
    server.plan = wanted.plan.name;
    server.network = wanted.network;
    server.labels = wanted.labels;
    addVolumes(state, wanted, { scope, key }, touch);
    server.volumes = [...new Set([...server.volumes, ...wanted.volumes.map(({ name }) => name)])];
    Object.assign(server, sizesOf(state, server));
    server.firewall = wanted.firewall;
    server.address = wanted.address;
    keepOthers(state, wanted, { scope, key }, touch);
    delete server.stopped;
    note(state, 'servers.update', wanted.name, key);
    return describeServer(server, account);
  });
