import {
  type CallContext,
  type FoundNetwork,
  inputError,
  type ProviderConnection,
  rangesOverlap,
  unreachableError,
} from '../../sdk/index.js';
import { throwGone } from './errors.js';
import { ask, effect } from './store/calls.js';
import { checkOurs, ownOf } from './store/ownership.js';
import { type DemoNetwork, type DemoState, idOf, note } from './store/state.js';
import type { DemoStore } from './store/store.js';

/** Creates the verbs for networks, which are entries in the account's file. */
export function networkVerbs(store: DemoStore): ProviderConnection['networks'] {
  const find = ({ networks }: DemoState, name: string, { scope }: CallContext): FoundNetwork | undefined => {
    const network = checkOurs('network', name, scope, networks[idOf(scope, name)]);
    return network && describe(network);
  };
  const read = (name: string, context: CallContext) =>
    ask(store, { verb: 'networks.read', name, signal: context.signal }, (state) => find(state, name, context));

  return {
    read,
    diff: ({ range }, found) =>
      range === undefined || range === found.range
        ? { action: 'noop' }
        : { action: 'replace', changes: [`range "${found.range ?? 'any'}" becomes "${range}"`] },
    list: ({ scope, signal }) =>
      ask(store, { verb: 'networks.list', name: scope.infra, signal }, ({ networks }) => ownOf(networks, scope).map(describe)),
    create: ({ name, range, existing }, context) =>
      effect(store, { verb: 'networks.create', name, signal: context.signal }, (state, touch) => {
        if (existing !== undefined) return foreign(state, name, existing);
        const known = find(state, name, context);
        if (known) return known;
        const other = ownOf(state.networks, context.scope).find((one) => range && one.range && rangesOverlap(one.range, range));
        if (other) {
          const why = `${range} overlaps ${other.range} of the network "${other.name}"`;
          throw inputError({ code: 'network-overlap', what: 'create the network', on: name, why });
        }
        const id = idOf(context.scope, name);
        touch('networks', id);
        state.networks[id] = { name, scope: context.scope, key: context.key, ...(range ? { range } : {}) };
        note(state, 'networks.create', name, context.key);
        return describe(state.networks[id]);
      }),
    ready: async (name, context) => (await read(name, context)) ?? throwGone('network', name),
    update: async ({ name }, context) => (await read(name, context)) ?? throwGone('network', name),
    delete: (name, { scope, signal }) =>
      effect(store, { verb: 'networks.delete', name, signal }, (state, touch) => {
        const network = state.networks[idOf(scope, name)];
        if (network?.scope.uuid !== scope.uuid) return;
        const user = ownOf(state.servers, scope).find((server) => server.network === name);
        if (user) {
          const why = `the server "${user.name}" is in it`;
          throw unreachableError({ code: 'network-in-use', what: 'delete the network', on: name, why });
        }
        touch('networks', idOf(scope, name));
        delete state.networks[idOf(scope, name)];
        note(state, 'networks.delete', name, network.key);
      }),
  };
}

const describe = ({ name, scope, range }: DemoNetwork): FoundNetwork => ({
  name,
  id: idOf(scope, name),
  ...(range ? { range } : {}),
});

function foreign({ foreignNetworks = [] }: DemoState, name: string, id: string): FoundNetwork {
  if (foreignNetworks.includes(id)) return { name, id };
  const why = `the account has no network with the id "${id}"`;
  throw inputError({ code: 'unknown-network', what: 'use the network', on: name, why });
}
