import { setTimeout as sleep } from 'node:timers/promises';
import { inputError } from '../../core/errors.js';
import type { CreateContext, ProviderConnection, ServerFound, ServerWanted } from '../../core/provider.js';
import { ask, effect } from './calls.js';
import { diffServer } from './diff.js';
import type { Touch } from './journal.js';
import { gone, ours, ownOf } from './ownership.js';
import { type DemoServer, type DemoState, idOf, note } from './state.js';
import type { DemoStore } from './store.js';

const POLL_MS = 50;

/** Servers that are entries of the account's file. */
export function serverVerbs(store: DemoStore, account: string): ProviderConnection['servers'] {
  const describe = (server: DemoServer): ServerFound => {
    const { scope, role: _, key: __, stopped, bootedAt, services: ___, ...rest } = structuredClone(server);
    const id = idOf(scope, server.name);
    const status = stopped ? 'stopped' : Date.now() < bootedAt ? 'starting' : 'running';
    return { ...rest, id, status, connection: { kind: 'demo', account, server: id } };
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
            make(state, wanted, context, touch),
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
        touch('servers', idOf(scope, wanted.name));
        server.plan = wanted.plan.name;
        server.labels = wanted.labels;
        addVolumes(state, wanted, { scope, key }, touch);
        server.volumes = [...new Set([...server.volumes, ...wanted.volumes.map(({ name }) => name)])];
        delete server.stopped;
        note(state, 'servers.update', wanted.name, key);
        return describe(server);
      }),

    delete: (name, { scope, signal }) =>
      effect(store, { verb: 'servers.delete', name, signal }, (state, touch) => {
        const server = state.servers[idOf(scope, name)];
        if (server?.scope.uuid !== scope.uuid) return;
        touch('servers', idOf(scope, name));
        for (const volume of server.volumes) {
          touch('volumes', idOf(scope, `${name}/${volume}`));
          delete state.volumes[idOf(scope, `${name}/${volume}`)];
        }
        delete state.servers[idOf(scope, name)];
        note(state, 'servers.delete', name, server.key);
      }),
  };
}

/** Checks first, changes after: a change of the store throws before it changes anything. */
function make(state: DemoState, wanted: ServerWanted, { scope, key }: CreateContext, touch: Touch): DemoServer {
  const { name, role, plan, image, zone, labels, volumes, network } = wanted;
  const refuse = (code: string, why: string) => inputError({ code, what: 'create the server', on: name, why });
  if (wanted.host) throw refuse('no-existing-hosts', 'the demo provider has no machines, so none can exist already');
  if (!ours('network', network, scope, state.networks[idOf(scope, network)])) {
    throw refuse('network-missing', `there is no network "${network}"`);
  }
  const quota = state.settings.limits.servers ?? Number.POSITIVE_INFINITY;
  if (Object.keys(state.servers).length >= quota) throw refuse('quota-exceeded', `the account may have ${quota} servers`);
  addVolumes(state, wanted, { scope, key }, touch);
  const bootedAt = Date.now() + (state.settings.latencyMs.boot ?? 0);
  const attached = volumes.map((volume) => volume.name);
  const server = {
    name,
    role,
    plan: plan.name,
    image,
    zone,
    labels,
    volumes: attached,
    network,
    scope,
    key,
    bootedAt,
    services: {},
  };
  touch('servers', idOf(scope, name));
  state.servers[idOf(scope, name)] = server;
  note(state, 'servers.create', name, key);
  return server;
}

function addVolumes(
  state: DemoState,
  { name: server, volumes }: ServerWanted,
  { scope, key }: Pick<CreateContext, 'scope' | 'key'>,
  touch: Touch,
): void {
  for (const volume of volumes) {
    const name = `${server}/${volume.name}`;
    touch('volumes', idOf(scope, name));
    state.volumes[idOf(scope, name)] ??= { name, scope, key };
  }
}
