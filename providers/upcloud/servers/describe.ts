import { type CallContext, type Diff, type FoundServer, same, type WantedServer } from '../../../sdk/index.js';
import { isReserved, publicAddress } from '../addresses.js';
import type { Server, Storage } from '../client/index.js';
import type { Cloud } from '../cloud/cloud.js';
import { findServerDetail, findServers } from '../cloud/find.js';
import { filterByScope, read, userLabels } from '../cloud/labels.js';
import { privateAddressOf } from '../cloud/private-address.js';
import { call } from '../errors.js';
import { compareFirewalls, parseRules } from '../firewall.js';
import { devicePath, listServerVolumes } from '../volumes.js';
import { zoneNamed } from '../zones.js';

const STATUS: Readonly<Record<string, FoundServer['status']>> = { started: 'running', maintenance: 'starting' };

export const readServer = (cloud: Cloud, name: string, context: CallContext): Promise<FoundServer | undefined> =>
  call('read the server', name, context.signal, async () => {
    const [row] = await findServers(cloud, name, context);
    const server = row && (await findServerDetail(cloud, row.uuid, context.signal));
    return server && describeFound(cloud, server, name, context);
  });

/** Lists all servers of an infra, by name. */
export const listServers = (cloud: Cloud, context: CallContext): Promise<FoundServer[]> =>
  call('list the servers', context.scope.infra, context.signal, async () => {
    const { signal } = context;
    const rows = await cloud.client.servers.list({ labels: filterByScope(context.scope, 'server') }, { signal });
    const volumes = rows.length > 0 ? await listServerVolumes(cloud, undefined, context) : [];
    const found: FoundServer[] = [];
    for (const { uuid } of rows) {
      const server = await findServerDetail(cloud, uuid, signal);
      if (server) found.push(await describe(cloud, server, volumes, signal));
    }
    return found.sort((a, b) => a.name.localeCompare(b.name));
  });

/** Describes a server with the volumes that were created for it. */
export const describeFound = async (cloud: Cloud, server: Server, name: string, context: CallContext): Promise<FoundServer> =>
  describe(cloud, server, await listServerVolumes(cloud, name, context), context.signal);

/** Describes a server for the verbs. A firewall requires an additional request. */
export async function describe(
  cloud: Cloud,
  server: Server,
  volumes: readonly Storage[],
  signal?: AbortSignal,
): Promise<FoundServer> {
  const name = read(server.labels, 'name') ?? server.title;
  const attached = new Set(server.storage_devices.map(({ storage }) => storage));
  const own = volumes.filter(({ uuid }) => attached.has(uuid));
  const short = (volume: Storage) => (read(volume.labels, 'name') ?? '').slice(name.length + 1);
  const rules = server.firewall ? parseRules(await cloud.client.firewallRules.list(server.uuid, { signal })) : undefined;
  const network = read(server.labels, 'network');
  const placement = read(server.labels, 'placement');
  const privateAddress = privateAddressOf(server);
  return {
    name,
    id: server.uuid,
    status: STATUS[server.state] ?? 'stopped',
    plan: server.plan ?? '',
    image: read(server.labels, 'image') ?? '',
    zone: server.zone,
    labels: userLabels(server.labels),
    volumes: own.map(short).sort(),
    mounts: Object.fromEntries(own.map((volume) => [short(volume), read(volume.labels, 'mount') ?? ''])),
    volumeSizes: Object.fromEntries(own.map((volume) => [short(volume), volume.size])),
    ...(own.length > 0 ? { devices: Object.fromEntries(own.map((volume) => [short(volume), devicePath(volume.uuid)])) } : {}),
    ...(network ? { network } : {}),
    ...(rules ? { firewall: rules } : {}),
    ...(placement && server.server_group ? { placement } : {}),
    ...(isReserved(server) ? { address: 'reserved' as const } : {}),
    connection: {
      kind: 'ssh',
      address: publicAddress(server),
      port: 22,
      user: 'root',
      ...(privateAddress ? { privateAddress } : {}),
    },
  };
}

/**
 * Compares a server with its wanted state. Plan, labels, firewall, address, and new or larger volumes change in place;
 * the rest replaces the machine.
 */
export function diffServer(wanted: WantedServer, found: FoundServer): Diff {
  const changes: string[] = [];
  const note = (what: string, from: unknown, to: unknown) =>
    void (same(from, to) || changes.push(`${what}: ${say(from)} → ${say(to)}`));
  // The image of an adopted disk is unknown.
  if (found.image) note('image', found.image, wanted.image);
  if (wanted.zone) note('zone', found.zone, zoneNamed(wanted.zone));
  // An adopted server may be outside of our networks.
  if (found.network !== undefined) note('network', found.network, wanted.network);
  note('placement', found.placement, wanted.placement);
  const names = new Set(wanted.volumes.map(({ name }) => name));
  for (const name of found.volumes) if (!names.has(name)) changes.push(`volume ${name} is no longer wanted`);
  for (const { name, mount } of wanted.volumes) if (found.mounts?.[name]) note(`mount of ${name}`, found.mounts[name], mount);
  if (changes.length > 0) return { action: 'replace', changes };
  note('plan', found.plan, wanted.plan.name);
  note('labels', found.labels, wanted.labels);
  note('address', found.address, wanted.address);
  for (const { name, sizeGiB } of wanted.volumes) {
    const size = found.volumes.includes(name) ? (found.volumeSizes?.[name] ?? sizeGiB) : 'none';
    note(`volume ${name} (GiB)`, size, sizeGiB);
  }
  if (!compareFirewalls(wanted.firewall, found.firewall)) changes.push('firewall');
  if (found.status === 'stopped') changes.push('start it');
  return changes.length > 0 ? { action: 'update', changes } : { action: 'noop' };
}

const say = (value: unknown): string => (typeof value === 'string' ? value : value === undefined ? 'none' : JSON.stringify(value));
