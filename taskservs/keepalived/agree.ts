import { type AgreeingServer, type Agreement, type Disagreement, quickHash, rangeBounds } from '../../sdk/index.js';
import { bare, type KeepalivedConfig } from './keepalived-config.js';

type On = AgreeingServer<KeepalivedConfig>;

/** Members of a group, the preferred one first. */
interface Group {
  name: string;
  members: On[];
}

/** What a cloud needs in place of VRRP, by provider: its network knows which server has an address. */
const CLOUDS: Readonly<Record<string, string>> = {
  hetzner: 'use a load balancer or a floating IP of Hetzner; VRRP works only on a vSwitch network of dedicated servers',
  upcloud: 'use a load balancer or a floating IP of UpCloud, or switch off source IP filtering of the private interfaces yourself',
  aws: 'use a load balancer or an Elastic IP of AWS',
};

/** Priority of the first member; the next ones have less. */
const FIRST = 200;

/** Router id that follows from the name of a group: 1 to 255. */
export const deriveRouterId = (group: string): number => (Number.parseInt(quickHash(group).slice(0, 6), 36) % 255) + 1;

/** Decides members, router ids and priorities of all groups, and reports what does not fit. */
export function agree(on: readonly On[]): Agreement<KeepalivedConfig> {
  const groups = groupsOf(on);
  const decided = new Map(groups.flatMap((group) => group.members.map((one, at) => [one.server, decide(group, one, at)] as const)));
  const settled = on.map((one) => ({ ...one, config: decided.get(one.server) ?? one.config }));
  return {
    configs: settled.map(({ config }) => config),
    disagreements: [
      ...groups.flatMap((group) => [
        ...listWrongMembers(group, on),
        ...listDifferent(group),
        ...listEqualPriorities(group, decided),
        ...listAlone(group),
        ...listAcrossNetworks(group),
      ]),
      ...listSharedIds(groups, decided),
      ...on.flatMap((one) => [...listOwnAddresses(one, on), ...listOutside(one), ...listMissingCheck(one), ...listClouds(one)]),
    ],
    reaches: Object.fromEntries(
      settled.map(({ server, config }) => [server, (config.members ?? []).filter((member) => member !== server)]),
    ),
  };
}

/** Groups in the order of the definition. Members that no list names come last. */
function groupsOf(on: readonly On[]): Group[] {
  const byName = new Map<string, On[]>();
  for (const one of on) byName.set(one.config.group, [...(byName.get(one.config.group) ?? []), one]);
  return [...byName].map(([name, members]) => {
    const order = members.find(({ config }) => config.members)?.config.members ?? [];
    const placeOf = ({ server }: On) => (order.includes(server) ? order.indexOf(server) : order.length);
    return { name, members: [...members].sort((a, b) => placeOf(a) - placeOf(b)) };
  });
}

const decide = ({ name, members }: Group, { config }: On, at: number): KeepalivedConfig => ({
  ...config,
  members: members.map(({ server }) => server),
  routerId: config.routerId ?? members.find((one) => one.config.routerId)?.config.routerId ?? deriveRouterId(name),
  priority: config.priority ?? Math.max(1, FIRST - at),
});

/** A list of members that names other servers than those with the group, or another list of the same group. */
function listWrongMembers({ name, members }: Group, on: readonly On[]): Disagreement[] {
  const first = members.find(({ config }) => config.members);
  return members.flatMap(({ server, config }): Disagreement[] => {
    const listed = config.members;
    if (!listed) return [];
    const wrong = listed.flatMap((member, index): Disagreement[] => {
      if (members.some((one) => one.server === member)) return [];
      const elsewhere = on.find((one) => one.server === member)?.config.group;
      const why = elsewhere === undefined ? 'has no keepalived' : `is in the group "${elsewhere}"`;
      return [
        { server, at: ['members', index], message: `"${member}" ${why}`, suggestion: `give it keepalived with group: ${name}` },
      ];
    });
    const left = members.filter((one) => !listed.includes(one.server)).map((one) => `"${one.server}"`);
    const suggestion = 'list all servers of the group, or remove members';
    const missing =
      left.length > 0 ? [{ server, at: ['members'], message: `${left.join(', ')} of the group is not listed`, suggestion }] : [];
    const isOther = first && first.config.members?.join() !== listed.join();
    const message = `the members of the group "${name}" are listed differently for "${first?.server}"`;
    return [...wrong, ...missing, ...(isOther ? [{ server, at: ['members'], message, suggestion: 'write one order' }] : [])];
  });
}

/** Settings that all members of a group must have alike. */
function listDifferent({ name, members }: Group): Disagreement[] {
  const [first, ...others] = members;
  if (!first) return [];
  const id = members.find(({ config }) => config.routerId);
  return others.concat(first).flatMap((one): Disagreement[] => {
    const differs = (key: 'addresses' | 'interval' | 'password' | 'multicast', textOf: (config: KeepalivedConfig) => string) =>
      textOf(one.config) === textOf(first.config)
        ? []
        : [
            {
              ...{ server: one.server, at: [key], message: `${key} of the group "${name}" differs from that of "${first.server}"` },
              suggestion: 'write one entry for all servers of the group',
            },
          ];
    const addresses = ({ addresses }: KeepalivedConfig) =>
      addresses
        .map(({ address }) => address)
        .sort()
        .join();
    const ownId = one.config.routerId;
    return [
      ...differs('addresses', addresses),
      ...differs('interval', ({ interval }) => String(interval)),
      ...differs('password', ({ password }) => JSON.stringify(password) ?? ''),
      ...differs('multicast', ({ multicast }) => String(multicast)),
      ...(ownId !== undefined && id && ownId !== id.config.routerId
        ? [
            {
              ...{ server: one.server, at: ['routerId'] },
              message: `the group "${name}" has the router id ${id.config.routerId} on "${id.server}", and ${ownId} here`,
              suggestion: 'write one id for the group',
            },
          ]
        : []),
    ];
  });
}

function listEqualPriorities({ members }: Group, decided: ReadonlyMap<string, KeepalivedConfig>): Disagreement[] {
  const priorityOf = ({ server }: On) => decided.get(server)?.priority;
  return members.flatMap((one, index): Disagreement[] => {
    const twin = members.slice(0, index).find((other) => priorityOf(other) === priorityOf(one));
    if (!twin) return [];
    const message = `"${twin.server}" and "${one.server}" both have the priority ${priorityOf(one)}`;
    const at = one.config.priority === undefined ? twin : one;
    return [{ server: at.server, at: ['priority'], message, suggestion: 'give each member another priority, or none' }];
  });
}

function listAlone({ name, members: [one, ...others] }: Group): Disagreement[] {
  if (!one || others.length > 0) return [];
  const message = `"${one.server}" is the only server of the group "${name}": its addresses cannot move`;
  return [{ server: one.server, at: ['group'], message, suggestion: 'add keepalived to a second server', warning: true }];
}

function listAcrossNetworks({ name, members: [first, ...others] }: Group): Disagreement[] {
  const other = others.find((one) => networkOf(one) !== (first && networkOf(first)));
  if (!first || !other) return [];
  const message = `"${first.server}" and "${other.server}" of the group "${name}" are on different networks`;
  return [
    { server: other.server, at: ['group'], message, suggestion: 'put them on one network, or into two groups', warning: true },
  ];
}

/** Existing machines are on a network that the definition does not know: all of them count as one. */
const networkOf = ({ host, provider, network }: On): string => (host ? 'existing' : `${provider}/${network}`);

/** Two groups with one router id on one network would take each other's signs of life for their own. */
function listSharedIds(groups: readonly Group[], decided: ReadonlyMap<string, KeepalivedConfig>): Disagreement[] {
  const idOf = ({ members: [first] }: Group) => (first ? decided.get(first.server)?.routerId : undefined);
  return groups.flatMap((group, index): Disagreement[] => {
    const [one] = group.members;
    const networks = new Set(group.members.map(networkOf));
    const twin = groups
      .slice(0, index)
      .find((other) => idOf(other) === idOf(group) && other.members.some((member) => networks.has(networkOf(member))));
    if (!one || !twin) return [];
    const used = new Set(groups.map(idOf));
    const free = Array.from({ length: 255 }, (_, at) => at + 1).find((id) => !used.has(id));
    const message = `the groups "${twin.name}" and "${group.name}" have the same router id ${idOf(group)} on one network`;
    return [{ server: one.server, at: ['routerId'], message, suggestion: `write routerId: ${free} for "${group.name}"` }];
  });
}

/** Addresses that a server of the definition has as its own. */
function listOwnAddresses({ server, config }: On, on: readonly On[]): Disagreement[] {
  const owners = new Map(
    on.flatMap((one) =>
      one.host?.kind === 'ssh'
        ? [one.host.address, one.host.privateAddress].flatMap((address) => (address ? [[address, one.server] as const] : []))
        : [],
    ),
  );
  return config.addresses.flatMap(({ address }, index): Disagreement[] => {
    const owner = owners.get(bare(address));
    if (owner === undefined) return [];
    const message = `${bare(address)} is the own address of "${owner}"`;
    return [{ server, at: ['addresses', index, 'address'], message, suggestion: 'choose an address that no server has' }];
  });
}

/** Warns of addresses that no server on the network has a route to. Addresses with an own interface may be of another one. */
function listOutside({ server, config, networkRange }: On): Disagreement[] {
  const bounds = networkRange === undefined ? undefined : rangeBounds(networkRange);
  if (!bounds) return [];
  return config.addresses.flatMap(({ address, interface: on }, index): Disagreement[] => {
    const own = on === undefined && !address.includes(':') ? rangeBounds(`${bare(address)}/32`) : undefined;
    if (!own || (bounds[0] <= own[0] && own[1] <= bounds[1])) return [];
    const message = `${bare(address)} is outside of the network ${networkRange} of "${server}"`;
    const suggestion = `choose an address in ${networkRange}, or name the interface with the network of the address`;
    return [{ server, at: ['addresses', index, 'address'], message, suggestion, warning: true }];
  });
}

/** A name that no server has, and an endpoint that a taskserv does not have, are found without this. */
function listMissingCheck({ server, config: { check }, beside, everywhere }: On): Disagreement[] {
  if (!check || 'port' in check || !everywhere.includes(check.taskserv)) return [];
  const suggestion = 'name a TCP endpoint of a service on the same server, or { port: PORT }';
  const found = beside[check.taskserv]?.find(({ name }) => name === check.offering);
  if (found?.protocol === 'udp')
    return [{ server, at: ['check', 'offering'], message: `"${check.offering}" of "${check.taskserv}" is UDP`, suggestion }];
  if (beside[check.taskserv]) return [];
  const message = `"${server}" has no "${check.taskserv}", and keepalived checks only services of its own server`;
  return [{ server, at: ['check', 'taskserv'], message, suggestion }];
}

function listClouds({ server, provider, host, config }: On): Disagreement[] {
  const suggestion = host ? undefined : CLOUDS[provider];
  if (suggestion === undefined) return [];
  const addresses = config.addresses.map(({ address }) => bare(address)).join(', ');
  const message = `VRRP does not move ${addresses} at ${provider}: its network delivers packets only to the server that it has assigned the address to`;
  return [{ server, at: ['addresses'], message, suggestion, warning: true }];
}
