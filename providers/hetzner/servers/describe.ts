import { type CallContext, type Connection, type Diff, type FoundServer, same, type WantedServer } from '../../../sdk/index.js';
import type { Server } from '../api/shapes.js';
import { rulesIn, sameFirewall } from '../firewall.js';
import { nameIn, selector, userLabelsIn } from '../project/labels.js';
import { readMachineLabels } from '../project/machine-labels.js';
import type { Project } from '../project/project.js';
import type { Servers } from '../project/servers.js';
import { devicePath, volumeSize } from '../volumes.js';

export async function readServer({ project }: Servers, name: string, context: CallContext): Promise<FoundServer | undefined> {
  const row = await project.find('server', name, context);
  return row && describe(project, row, context);
}

/** Lists all servers of an infra, by name. */
export async function listServers({ project }: Servers, context: CallContext): Promise<FoundServer[]> {
  const { scope, signal } = context;
  signal?.throwIfAborted();
  const rows = await project.list('server', selector(scope, 'server'), { what: 'list the servers', on: scope.infra, signal });
  const there = rows.filter(({ status }) => status !== 'deleting');
  const found = await Promise.all(there.map((row) => describe(project, row, context)));
  return found.sort((a, b) => a.name.localeCompare(b.name));
}

/** Describes a server with its belongings. */
export async function describe(project: Project, row: Server, context: CallContext): Promise<FoundServer> {
  const name = nameIn(row.labels);
  const said = readMachineLabels(row.labels);
  // Sequential: lookups for many servers are combined anyway, and no request follows a requested pause.
  const volumes = await Promise.all(Object.keys(said.mounts).map((volume) => project.ours('volume', `${name}/${volume}`, context)));
  const firewall = row.public_net.firewalls.length > 0 ? await project.ours('firewall', name, context) : undefined;
  const address = said.address ? await project.ours('address', name, context) : undefined;
  const attached = volumes.flatMap((volume) =>
    volume?.server === row.id
      ? [{ own: nameIn(volume.labels).split('/')[1] ?? '', size: volume.size, device: devicePath(volume) }]
      : [],
  );
  const rules = firewall && row.public_net.firewalls.some(({ id }) => id === firewall.id) ? rulesIn(firewall.rules) : undefined;
  const reserved = address && !address.auto_delete && address.assignee_id === row.id;
  const placement = row.placement_group ? nameIn(row.placement_group.labels) : '';
  return {
    name,
    id: String(row.id),
    status: statusOf(row),
    plan: row.server_type.name,
    image: said.image ?? row.image?.name ?? String(row.image?.id ?? ''),
    zone: row.location.name,
    labels: userLabelsIn(row.labels),
    volumes: attached.map(({ own }) => own),
    mounts: said.mounts,
    volumeSizes: Object.fromEntries(attached.map(({ own, size }) => [own, size])),
    ...(attached.length > 0 ? { devices: Object.fromEntries(attached.map(({ own, device }) => [own, device])) } : {}),
    network: row.private_net.length > 0 ? said.network : undefined,
    ...(rules ? { firewall: rules } : {}),
    ...(placement ? { placement } : {}),
    ...(reserved ? { address: 'reserved' as const } : {}),
    connection: connectionOf(row),
  };
}

export function connectionOf({ public_net: { ipv4, ipv6 }, private_net: [own] }: Server): Connection {
  const address = ipv4?.ip ?? ipv6?.ip.replace(/::\/\d+$/, '::1') ?? '';
  return { kind: 'ssh', address, port: 22, user: 'root', ...(own?.ip ? { privateAddress: own.ip } : {}) };
}

export function statusOf({ status }: Pick<Server, 'status'>): FoundServer['status'] {
  if (status === 'running') return 'running';
  return /^(off|stopping|deleting)$/.test(status) ? 'stopped' : 'starting';
}

/**
 * Compares a server with its wanted state. Another image, network, zone or mount, or a volume less, requires a new
 * server. Everything else changes in place.
 */
export function diffServer(wanted: WantedServer, found: FoundServer): Diff {
  const mounts = Object.fromEntries(wanted.volumes.map(({ name, mount }) => [name, mount]));
  const there = Object.fromEntries(found.volumes.map((name) => [name, found.mounts?.[name] ?? '']));
  const moved = Object.entries(there).some(([name, mount]) => mounts[name] !== mount);
  const replaced = [
    // The image of an adopted server may no longer exist.
    ...(found.image === '' || found.image === wanted.image ? [] : [`image "${found.image}" becomes "${wanted.image}"`]),
    ...(!wanted.zone || found.zone === wanted.zone ? [] : [`zone "${found.zone}" becomes "${wanted.zone}"`]),
    ...(found.network === undefined || found.network === wanted.network
      ? []
      : [`network "${found.network}" becomes "${wanted.network}"`]),
    ...(moved ? [`volumes ${list(there)} become ${list(mounts)}`] : []),
  ];
  const updated = [
    ...(found.plan === wanted.plan.name ? [] : [`plan "${found.plan}" becomes "${wanted.plan.name}"`]),
    ...(same(found.labels, wanted.labels) ? [] : ['labels change']),
    ...(found.network === undefined ? [`it joins the network "${wanted.network}"`] : []),
    ...wanted.volumes.flatMap(({ name, sizeGiB }) => volumeChange(name, volumeSize(sizeGiB), found.volumeSizes?.[name])),
    ...(sameFirewall(found.firewall, wanted.firewall) ? [] : ['firewall rules change']),
    ...(found.placement === wanted.placement ? [] : [`placement "${found.placement ?? ''}" becomes "${wanted.placement ?? ''}"`]),
    ...(found.address === wanted.address ? [] : [wanted.address ? 'its address is reserved' : 'its address is no longer reserved']),
    ...(found.status === 'stopped' ? ['it is started'] : []),
  ];
  if (replaced.length > 0) return { action: 'replace', changes: [...replaced, ...updated] };
  return updated.length > 0 ? { action: 'update', changes: updated } : { action: 'noop' };
}

function volumeChange(name: string, wanted: number, found: number | undefined): string[] {
  if (found === undefined) return [`volume "${name}" is attached`];
  if (found === wanted) return [];
  return [`volume "${name}" of ${found} GiB becomes ${wanted} GiB${found > wanted ? ', which is not possible' : ''}`];
}

const list = (mounts: Record<string, string>) =>
  Object.entries(mounts)
    .map(([name, mount]) => `"${name}" at ${mount}`)
    .join(', ') || 'none';
