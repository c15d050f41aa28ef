import { setTimeout as sleep } from 'node:timers/promises';
import { inputError, type ProviderConnection, type ServerFound, type ServerWanted } from '../../sdk/index.js';
import { adoptServer } from './account/adopt.js';
import { dropOthers, keepOthers } from './account/others.js';
import { addVolumes, makeServer, sizesOf } from './servers/create.js';
import { diffServer } from './servers/describe.js';
import { ask, effect } from './store/calls.js';
import { gone, ours, ownOf } from './store/ownership.js';
import { type DemoServer, idOf, note } from './store/state.js';
import type { DemoStore } from './store/store.js';

const POLL_MS = 50;

type Verbs = ProviderConnection['servers'] & Required<Pick<ProviderConnection, 'adopt' | 'power'>>;

/** Servers that are entries of the account's file. */
export function serverVerbs(store: DemoStore, account: string): Verbs {
  const describe = (server: DemoServer): ServerFound => {
    const { scope, role: _, key: __, stopped, bootedAt, services: ___, ownId, ...rest } = structuredClone(server);
    const id = idOf(scope, server.name);
    const status = stopped ? 'stopped' : Date.now() < bootedAt ? 'starting' : 'running';
    return { ...rest, id: ownId ?? id, status, connection: { kind: 'demo', account, server: id } };
  };

  return {
    diff: diffServer,

    list: ({ scope, signal }) =>
      ask(store, { verb: 'servers.list', name: scope.infra, signal }, ({ servers }) => ownOf(servers, scope).map(describe)),

    read: (name, { scope, signal }) =>
      ask(store, { verb: 'servers.read', name, signal }, ({ servers }) => {
        const found = ours('server', name, scope, servers[idOf(scope, name)]);
        return found && describe(found);
      }),

    create: (wanted, context) =>
      effect(store, { verb: 'servers.create', name: wanted.name, signal: context.signal }, (state, touch) =>
        describe(
          ours('server', wanted.name, context.scope, state.servers[idOf(context.scope, wanted.name)]) ??
            makeServer(state, wanted, context, touch),
        ),
      ),

    async ready(name, { scope, signal, beat }) {
      for (;;) {
        const found = await ask(store, { verb: 'servers.ready', name, signal }, ({ servers }) => {
          const server = ours('server', name, scope, servers[idOf(scope, name)]) ?? gone('server', name);
          return describe(server);
        });
        if (found.status === 'running') return found;
        beat?.('Wait for its start');
        await sleep(POLL_MS, undefined, { signal });
      }
    },

    update: (wanted, { scope, signal, key }) =>
      effect(store, { verb: 'servers.update', name: wanted.name, signal }, (state, touch) => {
        const server = ours('server', wanted.name, scope, state.servers[idOf(scope, wanted.name)]) ?? gone('server', wanted.name);
        if (diffServer(wanted, describe(server)).action === 'noop') return describe(server);
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
        return describe(server);
      }),

    power: (name, action, { scope, signal }) =>
      effect(store, { verb: `servers.${action}`, name, signal }, (state, touch) => {
        const server = ours('server', name, scope, state.servers[idOf(scope, name)]) ?? gone('server', name);
        if (action !== 'restart' && (action === 'stop') === (server.stopped ?? false)) return describe(server);
        touch('servers', idOf(scope, name));
        if (action === 'stop') server.stopped = true;
        else delete server.stopped;
        note(state, `servers.${action}`, name, server.key);
        return describe(server);
      }),

    adopt: (id, name, context) => adoptServer(store, describe, id, name, context),

    delete: (name, { scope, signal, replaced = false }) =>
      effect(store, { verb: 'servers.delete', name, signal }, (state, touch) => {
        const server = state.servers[idOf(scope, name)];
        if (server?.scope.uuid !== scope.uuid) return;
        touch('servers', idOf(scope, name));
        for (const volume of server.volumes) {
          touch('volumes', idOf(scope, `${name}/${volume}`));
          delete state.volumes[idOf(scope, `${name}/${volume}`)];
        }
        delete state.servers[idOf(scope, name)];
        dropOthers(state, server, replaced, touch);
        note(state, 'servers.delete', name, server.key);
      }),
  };
}

function refuseToShrink({ name, volumes }: ServerWanted, { volumeSizes = {} }: DemoServer): void {
  const smaller = volumes.find((volume) => volume.sizeGiB < (volumeSizes[volume.name] ?? 0));
  if (!smaller) return;
  const why = `the volume "${smaller.name}" has ${volumeSizes[smaller.name]} GiB, and cannot shrink to ${smaller.sizeGiB} GiB`;
  throw inputError({ code: 'volume-shrinks', what: 'update the server', on: name, why });
}
