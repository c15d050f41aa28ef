import type Docker from 'dockerode';
import { type CallContext, type CreateContext, type FoundNetwork, inputError, type ProviderConnection } from '../../sdk/index.js';
import { assertOurs, dockerName, makerLabels, ownerFilter, ownerLabels } from './docker/labels.js';
import { call, statusOf } from './errors.js';

/** Creates the verbs for private bridges, on which the hosts of an infra find each other by name. */
export function networkVerbs(docker: Docker): ProviderConnection['networks'] {
  const find = async (name: string, { scope }: CallContext): Promise<FoundNetwork | undefined> => {
    const rows = await docker.listNetworks({ filters: ownerFilter({ ...scope, uuid: undefined }, 'network', name) });
    for (const { Labels } of rows) assertOurs(scope, 'network', name, Labels ?? {});
    const first = rows.sort(byAge)[0];
    return first && { name, id: first.Id };
  };

  const read = (name: string, context: CallContext) => call('read the network', name, context.signal, () => find(name, context));

  async function create(name: string, context: CreateContext): Promise<FoundNetwork> {
    const known = await find(name, context);
    if (known) return known;
    const labels = { ...ownerLabels(context.scope, 'network', name), ...makerLabels(context) };
    const options = { Name: dockerName(context.scope, name), Driver: 'bridge', CheckDuplicate: true, Labels: labels };
    const made = await docker.createNetwork(options).catch((error) => {
      if (statusOf(error) !== 409) throw error;
    });
    // A concurrent create can bypass Docker's own check for duplicates: the older network stays.
    const found = await find(name, context);
    if (made && found && made.id !== found.id) await removeNetwork(docker, made.id);
    return found ?? gone(name);
  }

  return {
    read,
    diff: () => ({ action: 'noop' }),

    list: ({ scope, signal }) =>
      call('list the networks', scope.infra, signal, async () => {
        const rows = await docker.listNetworks({ filters: ownerFilter(scope, 'network') });
        const named = rows.sort(byAge).map(({ Id, Labels }) => ({ name: Labels?.['provisioning.name'] ?? '', id: Id }));
        return named.filter((network, index) => named.findIndex(({ name }) => name === network.name) === index);
      }),

    create: ({ name }, context) =>
      call('create the network', name, context.signal, () => inTurn(dockerName(context.scope, name), () => create(name, context))),

    ready: async (name, context) => (await read(name, context)) ?? gone(name),
    update: async ({ name }, context) => (await read(name, context)) ?? gone(name),

    delete: (name, { scope, signal }) =>
      call('delete the network', name, signal, async () => {
        for (const { Id } of await docker.listNetworks({ filters: ownerFilter(scope, 'network', name) }))
          await removeNetwork(docker, Id);
      }),
  };
}

/** Networks in creation, by their Docker name. */
const making = new Map<string, Promise<unknown>>();

/**
 * Runs creations of one name in sequence. Docker allows two networks of one name, and reports the later one as the
 * older. Two concurrent creations could each keep their own network.
 */
function inTurn<T>(key: string, make: () => Promise<T>): Promise<T> {
  const before = making.get(key) ?? Promise.resolve();
  const made = before.then(make, make);
  making.set(key, made);
  const forget = () => {
    if (making.get(key) === made) making.delete(key);
  };
  made.then(forget, forget);
  return made;
}

const byAge = (a: { Created: string; Id: string }, b: { Created: string; Id: string }) =>
  a.Created.localeCompare(b.Created) || a.Id.localeCompare(b.Id);

async function removeNetwork(docker: Docker, id: string): Promise<void> {
  await docker
    .getNetwork(id)
    .remove()
    .catch((error) => {
      if (statusOf(error) !== 404) throw error;
    });
}

function gone(name: string): never {
  throw inputError({ code: 'network-gone', what: 'use the network', on: name, why: 'Docker no longer has it' });
}
