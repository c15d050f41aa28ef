import { imageNamed, locationNamed, typeNamed } from './catalog.js';
import type { ActionRow, AddressRow, FirewallRow, KeyRow, NetworkRow, Row, ServerRow, State, VolumeRow } from './world.js';

/** Rows in the format of the API. */

const noProtection = { delete: false };

export const shownAction = (action: ActionRow) => ({ ...action, progress: action.status === 'running' ? 50 : 100 });

const datacenter = (location: string) => ({
  id: locationNamed(location).id,
  name: `${location}-dc1`,
  description: `${location} virtual DC 1`,
  location: locationNamed(location),
  server_types: { supported: [], available: [], available_for_migration: [] },
});

export function shownServer(state: State, row: ServerRow) {
  const address = state.primary_ips.get(row.address);
  const group = row.placement === undefined ? undefined : state.placement_groups.get(row.placement);
  return {
    id: row.id,
    name: row.name,
    labels: row.labels,
    created: row.created,
    status: row.status,
    locked: [...state.actions.values()].some(
      (one) => one.status === 'running' && one.resources.some(({ id, type }) => type === 'server' && id === row.id),
    ),
    server_type: typeNamed(row.server_type),
    image: imageNamed(String(row.image)),
    iso: null,
    location: locationNamed(row.location),
    datacenter: datacenter(row.location),
    placement_group: group ? shownGroup(state, group) : null,
    private_net: row.networks.map(({ network, ip }) => ({ network, ip, alias_ips: [], mac_address: '86:00:ff:2a:7d:e1' })),
    public_net: {
      ipv4: address ? { id: address.id, ip: row.ipv4, blocked: false, dns_ptr: `static.${row.ipv4}.clients.your-server.de` } : null,
      ipv6: { id: row.id + 1_000_000, ip: '2001:db8::/64', blocked: false, dns_ptr: [] },
      floating_ips: [],
      firewalls: row.firewalls.map((id) => ({ id, status: 'applied' })),
    },
    volumes: [...state.volumes.values()].filter(({ server }) => server === row.id).map(({ id }) => id),
    load_balancers: [],
    backup_window: null,
    rescue_enabled: false,
    primary_disk_size: row.disk,
    protection: { delete: false, rebuild: false },
    included_traffic: 20 * 1024 ** 4,
    ingoing_traffic: null,
    outgoing_traffic: null,
  };
}

export const shownNetwork = (state: State, { id, name, labels, created, ip_range, subnets }: NetworkRow) => ({
  id,
  name,
  labels,
  created,
  ip_range,
  subnets: subnets.map((one) => ({ ...one, vswitch_id: null })),
  routes: [],
  servers: [...state.servers.values()]
    .filter(({ networks }) => networks.some(({ network }) => network === id))
    .map((server) => server.id),
  load_balancers: [],
  protection: noProtection,
  expose_routes_to_vswitch: false,
});

export const shownVolume = ({ location, ...row }: VolumeRow) => ({
  ...row,
  location: locationNamed(location),
  linux_device: `/dev/disk/by-id/scsi-0HC_Volume_${row.id}`,
  protection: noProtection,
  format: null,
});

export const shownFirewall = (state: State, { id, name, labels, created, rules }: FirewallRow) => ({
  id,
  name,
  labels,
  created,
  rules: rules.map((rule) => ({ description: null, port: null, source_ips: [], destination_ips: [], ...rule })),
  applied_to: [...state.servers.values()]
    .filter(({ firewalls }) => firewalls.includes(id))
    .map((server) => ({ type: 'server', server: { id: server.id } })),
});

export const shownAddress = ({ location, server, ...row }: AddressRow) => ({
  ...row,
  type: 'ipv4',
  assignee_id: server,
  assignee_type: 'server',
  blocked: false,
  dns_ptr: [{ ip: row.ip, dns_ptr: `static.${row.ip}.clients.your-server.de` }],
  location: locationNamed(location),
  datacenter: datacenter(location),
  protection: noProtection,
});

export const shownGroup = (state: State, row: Row) => ({
  ...row,
  type: 'spread',
  servers: [...state.servers.values()].filter(({ placement }) => placement === row.id).map(({ id }) => id),
});

export const shownKey = (row: KeyRow) => ({ ...row, fingerprint: fingerprintOf(row.public_key) });

/** Returns an invented fingerprint, unique for each key. */
const fingerprintOf = (key: string) =>
  Buffer.from((key.split(' ')[1] ?? '').slice(-16).padEnd(16, '='))
    .toString('hex')
    .match(/../g)
    ?.join(':') ?? '';
