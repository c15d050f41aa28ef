import { overlap, parseRange } from '../../../providers/hetzner/project/ranges.js';
import { freeAddress } from '../machines.js';
import { locationNamed } from './catalog.js';
import { oneOf } from './lists.js';
import { textOf } from './private-network.js';
import { shownAction } from './views.js';
import {
  type AddressRow,
  begin,
  type Call,
  existing,
  invalid,
  type NetworkRow,
  newId,
  newRow,
  now,
  Refusal,
  type Routes,
  type World,
} from './world.js';

export function newAddress(world: World, row: Omit<AddressRow, 'id' | 'created' | 'server'>): AddressRow {
  const address = { ...row, id: newId(world), created: now(), server: null };
  world.state.primary_ips.set(address.id, address);
  return address;
}

function subnetIn(
  network: Pick<NetworkRow, 'ip_range' | 'subnets'>,
  { ip_range, network_zone, type }: Call['body'],
): NetworkRow['subnets'][number] {
  const [whole, part] = [parseRange(network.ip_range), parseRange(String(ip_range))];
  if (!whole || !part || part.first < whole.first || part.last > whole.last)
    throw invalid('subnet is not in the range of the network', 'ip_range');
  if (network.subnets.some((one) => overlap(one.ip_range, String(ip_range)))) throw invalid('subnets overlap', 'ip_range');
  return { ip_range: String(ip_range), network_zone: String(network_zone), type: String(type), gateway: textOf(part.first + 1) };
}

const rulesIn = (body: Call['body']) => (body.rules ?? []) as Record<string, unknown>[];
const started = (status: number, actions: ReturnType<typeof begin>[], more: object = {}) => ({
  status,
  body: { ...more, actions: actions.map(({ action }) => shownAction(action)) },
});

/** Firewall changes take effect immediately, which is one of the real behaviors. */
const resources = (body: Call['body'], key: string) =>
  ((body[key] ?? []) as { server?: { id: number } }[]).flatMap(({ server }) => server?.id ?? []);

export const otherRoutes: Routes = {
  'POST /v1/networks': (world, { body }) => {
    const ip_range = String(body.ip_range);
    if (!parseRange(ip_range)) throw invalid("invalid input in field 'ip_range'", 'ip_range');
    const row: NetworkRow = { ...newRow(world, 'networks', body), ip_range, subnets: [] };
    for (const one of (body.subnets ?? []) as Call['body'][]) row.subnets.push(subnetIn(row, one));
    world.state.networks.set(row.id, row);
    return { status: 201, body: oneOf(world, 'networks', row) };
  },
  'POST /v1/networks/{}/actions/add_subnet': (world, { ids, body }) => {
    const row = existing(world, 'networks', ids[0]);
    row.subnets.push(subnetIn(row, body));
    return { status: 201, body: { action: shownAction(begin(world, 'add_subnet', [{ id: row.id, type: 'network' }]).action) } };
  },
  'DELETE /v1/networks/{}': (world, { ids }) => {
    const row = existing(world, 'networks', ids[0]);
    for (const server of world.state.servers.values())
      server.networks = server.networks.filter(({ network }) => network !== row.id);
    world.state.networks.delete(row.id);
    return { status: 204 };
  },

  'POST /v1/firewalls': (world, { body }) => {
    const row = { ...newRow(world, 'firewalls', body), rules: rulesIn(body) };
    world.state.firewalls.set(row.id, row);
    return started(201, [], oneOf(world, 'firewalls', row));
  },
  'POST /v1/firewalls/{}/actions/set_rules': (world, { ids, body }) => {
    const row = existing(world, 'firewalls', ids[0]);
    row.rules = rulesIn(body);
    return started(201, [begin(world, 'set_firewall_rules', [{ id: row.id, type: 'firewall' }])]);
  },
  'POST /v1/firewalls/{}/actions/apply_to_resources': (world, { ids, body }) => {
    const row = existing(world, 'firewalls', ids[0]);
    for (const id of resources(body, 'apply_to')) {
      const server = existing(world, 'servers', id);
      if (server.firewalls.includes(row.id)) throw new Refusal(422, 'firewall_already_applied', 'firewall already applied');
      server.firewalls.push(row.id);
    }
    return started(201, [begin(world, 'apply_firewall', [{ id: row.id, type: 'firewall' }])]);
  },
  'POST /v1/firewalls/{}/actions/remove_from_resources': (world, { ids, body }) => {
    const row = existing(world, 'firewalls', ids[0]);
    for (const id of resources(body, 'remove_from')) {
      const server = existing(world, 'servers', id);
      server.firewalls = server.firewalls.filter((one) => one !== row.id);
    }
    return started(201, [begin(world, 'remove_firewall', [{ id: row.id, type: 'firewall' }])]);
  },
  'DELETE /v1/firewalls/{}': (world, { ids }) => {
    const row = existing(world, 'firewalls', ids[0]);
    if ([...world.state.servers.values()].some(({ firewalls }) => firewalls.includes(row.id)))
      throw new Refusal(422, 'resource_in_use', 'firewall still in use');
    world.state.firewalls.delete(row.id);
    return { status: 204 };
  },

  'POST /v1/primary_ips': async (world, { body }) => {
    const { name: location } = locationNamed(body.location);
    const { id: _, created: __, ...row } = newRow(world, 'primary_ips', body);
    const ip = await freeAddress(world.hosts);
    const address = newAddress(world, { ...row, ip, location, auto_delete: body.auto_delete === true });
    return { status: 201, body: oneOf(world, 'primary_ips', address) };
  },
  'DELETE /v1/primary_ips/{}': (world, { ids }) => {
    const row = existing(world, 'primary_ips', ids[0]);
    if (row.server !== null) throw new Refusal(422, 'must_be_unassigned', 'primary IP must be unassigned');
    world.state.primary_ips.delete(row.id);
    return { status: 204 };
  },

  'POST /v1/placement_groups': (world, { body }) => {
    const row = newRow(world, 'placement_groups', body);
    world.state.placement_groups.set(row.id, row);
    return { status: 201, body: { ...oneOf(world, 'placement_groups', row), action: null } };
  },
  'DELETE /v1/placement_groups/{}': (world, { ids }) => {
    const row = existing(world, 'placement_groups', ids[0]);
    for (const server of world.state.servers.values()) if (server.placement === row.id) server.placement = undefined;
    world.state.placement_groups.delete(row.id);
    return { status: 204 };
  },

  'POST /v1/ssh_keys': (world, { body }) => {
    const public_key = String(body.public_key);
    if (!/^(ssh-|ecdsa-)\S+ \S+/.test(public_key)) throw invalid("invalid input in field 'public_key'", 'public_key');
    const row = { ...newRow(world, 'ssh_keys', body), public_key };
    if ([...world.state.ssh_keys.values()].some((one) => one.public_key.split(' ')[1] === public_key.split(' ')[1]))
      throw new Refusal(409, 'uniqueness_error', 'SSH key with the same fingerprint already exists', ['public_key']);
    world.state.ssh_keys.set(row.id, row);
    return { status: 201, body: oneOf(world, 'ssh_keys', row) };
  },
  'DELETE /v1/ssh_keys/{}': (world, { ids }) => {
    world.state.ssh_keys.delete(existing(world, 'ssh_keys', ids[0]).id);
    return { status: 204 };
  },
};
