import {
  type CallContext,
  type CreateContext,
  type FoundNetwork,
  inputError,
  type ProviderConnection,
  type WantedNetwork,
} from '../../sdk/index.js';
import { isNotFound, type Network } from './client/index.js';
import { type Cloud, LOOKS, lookUntilBelieved } from './cloud/cloud.js';
import { assertOurs, createLabels, filterByScope, read as labelOf, listLabels, sortByAge } from './cloud/labels.js';
import { assertRange, formatAddress, freeRange, parseRange } from './cloud/ranges.js';
import { call } from './errors.js';
import { assertZone, zoneNamed } from './zones.js';

const rangesIn = ({ ip_networks }: Network): string[] => ip_networks.map(({ address }) => address);

const foundOf = (network: Network, name: string): FoundNetwork => ({ name, id: network.uuid, range: rangesIn(network)[0] });

/** Finds our networks of this name, the oldest first. Throws if another infra has one. */
export async function findNetworks(cloud: Cloud, name: string, { scope, signal }: CallContext): Promise<Network[]> {
  const rows = await cloud.client.networks.list(
    { labels: filterByScope({ ...scope, uuid: undefined }, 'network', name) },
    { signal },
  );
  for (const { labels } of rows) assertOurs(scope, 'network', name, labels);
  return sortByAge(rows);
}

/** Returns the network for a server, by name or by id. Throws the input error `network-missing`. */
export async function networkFor(
  cloud: Cloud,
  { network, existingNetwork }: { network: string; existingNetwork?: string },
  context: CallContext,
): Promise<Network> {
  const look = () => (existingNetwork ? existing(cloud, existingNetwork, context) : findNetworks(cloud, network, context));
  const [found] = await lookUntilBelieved(cloud, context.signal, look, LOOKS);
  if (found) return found;
  throw inputError({
    code: 'network-missing',
    what: 'use the network',
    on: network,
    why: 'UpCloud has no such network',
    hint: 'apply again',
  });
}

const existing = ({ client }: Cloud, uuid: string, { signal }: CallContext): Promise<Network[]> =>
  client.networks.read(uuid, { signal }).then(
    (network) => [network],
    (error) => {
      if (isNotFound(error)) return [];
      throw error;
    },
  );

/** Creates the verbs for private networks (SDN) without a router: their servers reach only each other. */
export function networkVerbs(cloud: Cloud): ProviderConnection['networks'] {
  const { client } = cloud;
  const read = (name: string, context: CallContext) =>
    call('read the network', name, context.signal, async () => {
      const [network] = await findNetworks(cloud, name, context);
      return network && foundOf(network, name);
    });

  const make = async (wanted: WantedNetwork, context: CreateContext): Promise<Network> => {
    const zone = zoneNamed(wanted.zone ?? cloud.zone);
    await assertZone(cloud, zone, context.signal);
    const others = (await client.networks.list({}, { signal: context.signal })).filter(({ type }) => type === 'private');
    const taken = others.flatMap((network) => rangesIn(network).map((cidr) => ({ name: network.name, cidr })));
    if (wanted.range) assertRange(wanted.name, wanted.range, taken);
    const { uuid } = context.scope;
    const range =
      wanted.range ??
      freeRange(
        `${uuid}/${wanted.name}`,
        taken.map(({ cidr }) => cidr),
      );
    const gateway = formatAddress((parseRange(range)?.first ?? 0n) + 1n, 'IPv4');
    return client.networks.create(
      {
        name: `${context.scope.infra}-${wanted.name}`,
        zone,
        // The default route is on the public interface.
        ip_networks: [{ address: range, family: 'IPv4', dhcp: true, dhcp_default_route: false, gateway }],
        labels: listLabels(createLabels(context, 'network', wanted.name)),
      },
      { signal: context.signal },
    );
  };

  return {
    read,
    diff: ({ range }, found) =>
      range && found.range !== range ? { action: 'replace', changes: [`range: ${found.range} → ${range}`] } : { action: 'noop' },

    list: ({ scope, signal }) =>
      call('list the networks', scope.infra, signal, async () => {
        const rows = sortByAge(await client.networks.list({ labels: filterByScope(scope, 'network') }, { signal }));
        const all = rows.map((network) => foundOf(network, labelOf(network.labels, 'name') ?? network.name));
        return all.filter((one, index) => all.findIndex(({ name }) => name === one.name) === index);
      }),

    create: (wanted, context) =>
      call('create the network', wanted.name, context.signal, async () => {
        const { name } = wanted;
        if (wanted.existing)
          return foundOf(await networkFor(cloud, { network: name, existingNetwork: wanted.existing }, context), name);
        // Sequential per account: the range is chosen among the free ones.
        return cloud.inTurn('networks', async () => {
          const [known] = await lookUntilBelieved(cloud, context.signal, () => findNetworks(cloud, name, context));
          const made = known ?? (await make(wanted, context));
          const [first = made, ...doubles] = await findNetworks(cloud, name, context);
          for (const { uuid } of doubles) await remove(cloud, uuid, context.signal);
          return foundOf(first, name);
        });
      }),

    ready: async (name, context) => (await read(name, context)) ?? gone(name),
    update: async ({ name }, context) => (await read(name, context)) ?? gone(name),

    delete: (name, { scope, signal }) =>
      call('delete the network', name, signal, async () => {
        const look = () => client.networks.list({ labels: filterByScope(scope, 'network', name) }, { signal });
        for (const { uuid } of await lookUntilBelieved(cloud, signal, look)) await remove(cloud, uuid, signal);
      }),
  };
}

async function remove({ client }: Cloud, uuid: string, signal?: AbortSignal): Promise<void> {
  await client.networks.delete(uuid, { signal }).catch((error) => {
    if (!isNotFound(error)) throw error;
  });
}

function gone(name: string): never {
  throw inputError({ code: 'network-gone', what: 'use the network', on: name, why: 'UpCloud no longer has it' });
}
