import type { Address, Instance, SecurityGroup, Volume } from '@aws-sdk/client-ec2';
import { type CallContext, type Diff, type FoundServer, same, type WantedServer } from '../../../sdk/index.js';
import { listAddresses } from '../addresses.js';
import { groupsWith } from '../ec2/groups.js';
import { groupsOf, instancesWith } from '../ec2/instances.js';
import type { Ask, Region } from '../ec2/region.js';
import type { Servers } from '../ec2/server-lookup.js';
import { createMarkFilters, mark, userLabels } from '../ec2/tags.js';
import { compareFirewalls, rulesOf } from '../firewall.js';
import { devicePath, listOwnVolumes } from '../volumes.js';
import { parseZone } from '../zones.js';

export async function readServer({ lookFor }: Servers, name: string, context: CallContext): Promise<FoundServer | undefined> {
  const found = await lookFor(name, context, { what: 'read the server', on: name, signal: context.signal });
  return found && describeServer(found.instance, await belongings(found.ask, context, name));
}

/** Lists all servers of an infra, by name. */
export async function listServers({ regions }: Servers, context: CallContext): Promise<FoundServer[]> {
  const { workspace, infra, uuid } = context.scope;
  const purpose = { what: 'list the servers', on: infra, signal: context.signal };
  const inRegion = async (region: Region) => {
    const ask = region.for(purpose);
    const instances = await instancesWith(ask, createMarkFilters({ workspace, infra, uuid, kind: 'server' }));
    if (instances.length === 0) return [];
    const all = await belongings(ask, context);
    return instances.map((instance) => describeServer(instance, all));
  };
  const found = await Promise.all((await regions.of(context)).map(inRegion));
  return found.flat().sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Returns the end of a server's console output. */
export async function readConsole({ locate }: Servers, name: string, context: CallContext): Promise<string | undefined> {
  const purpose = { what: 'read the console', on: name, signal: context.signal };
  const { ask, id } = await locate(name, context, purpose);
  const { Output } = await ask((ec2, options) => ec2.getConsoleOutput({ InstanceId: id, Latest: true }, options));
  return Output && Buffer.from(Output, 'base64').toString('utf8');
}

/** Resources of a server other than its instance. */
export interface Belongings {
  volumes: readonly Volume[];
  firewalls: readonly SecurityGroup[];
  addresses: readonly Address[];
}

/** Returns the belongings of one server in an infra, or of all its servers. */
export async function belongings(ask: Ask, context: CallContext, server?: string): Promise<Belongings> {
  const { workspace, infra, uuid } = context.scope;
  // Sequential: if AWS requests a pause, no second request is on its way.
  return {
    volumes: await listOwnVolumes(ask, context, server),
    firewalls: await groupsWith(ask, { workspace, infra, uuid, kind: 'firewall', name: server }),
    addresses: await listAddresses(ask, context, server),
  };
}

/** Describes an instance with its belongings as a server. */
export function describeServer(instance: Instance, all: Belongings): FoundServer {
  const { InstanceId: id = '', Tags, Placement } = instance;
  const name = mark(Tags, 'name') ?? '';
  const own = all.volumes.filter((volume) => mark(volume.Tags, 'server') === name && belongs(volume, instance));
  const volumes = own.map((volume) => ({ ...volume, short: mark(volume.Tags, 'name')?.split('/')[1] ?? '' }));
  const firewall = all.firewalls.find(({ GroupId = '' }) => groupsOf(instance).includes(GroupId));
  const address = all.addresses.find(({ Tags }) => mark(Tags, 'name') === name);
  const placement = Placement?.GroupName ? mark(Tags, 'placement') : undefined;
  const network = mark(Tags, 'network');
  const zone = mark(Tags, 'zone') ?? parseZone(Placement?.AvailabilityZone ?? '')?.region;
  return {
    name,
    id,
    status: statusOf(instance),
    plan: instance.InstanceType ?? '',
    image: mark(Tags, 'image') ?? instance.ImageId ?? '',
    ...(zone ? { zone } : {}),
    labels: userLabels(Tags),
    volumes: volumes.map(({ short }) => short),
    mounts: Object.fromEntries(volumes.map(({ short, Tags }) => [short, mark(Tags, 'mount') ?? ''])),
    volumeSizes: Object.fromEntries(volumes.map(({ short, Size = 0 }) => [short, Size])),
    ...(volumes.length > 0
      ? { devices: Object.fromEntries(volumes.map(({ short, VolumeId = '' }) => [short, devicePath(VolumeId)])) }
      : {}),
    ...(network ? { network } : {}),
    ...(firewall ? { firewall: rulesOf(firewall) } : {}),
    ...(placement ? { placement } : {}),
    ...(address ? { address: 'reserved' as const } : {}),
    connection: {
      ...{ kind: 'ssh', address: addressOf(instance, address), port: 22, user: 'root' },
      ...(instance.PrivateIpAddress ? { privateAddress: instance.PrivateIpAddress } : {}),
    },
  };
}

/**
 * Reports whether a volume is attached, or will be at the first start. A detached volume does not belong to the server.
 */
const belongs = ({ Attachments = [] }: Volume, { InstanceId, State }: Instance): boolean =>
  Attachments.some((one) => one.InstanceId === InstanceId) || (Attachments.length === 0 && State?.Name === 'pending');

/** Returns the reserved address, or the current one; in a subnet without public addresses, the private one. */
const addressOf = (instance: Instance, address: Address | undefined): string =>
  address?.PublicIp ?? instance.PublicIpAddress ?? instance.PrivateIpAddress ?? '';

export function statusOf({ State }: Instance): FoundServer['status'] {
  if (State?.Name === 'running') return 'running';
  return State?.Name === 'pending' ? 'starting' : 'stopped';
}

/**
 * Compares a server with its wanted state. Plan, labels, firewall, placement, address, and new or larger volumes change
 * in place. Image, network, zone, fewer volumes and other mounts require a new server.
 */
export function diffServer(wanted: WantedServer, found: FoundServer): Diff {
  const replaced = [
    ...change('image', found.image, wanted.image),
    // An adopted server is not in one of our networks.
    ...(found.network === undefined ? [] : change('network', found.network, wanted.network)),
    ...(liesIn(wanted.zone, found.zone) ? [] : change('zone', found.zone, wanted.zone)),
    ...lost(wanted, found),
  ];
  const updated = [
    ...change('plan', found.plan, wanted.plan.name),
    ...(same(found.labels, wanted.labels) ? [] : ['labels change']),
    ...(compareFirewalls(wanted.firewall, found.firewall) ? [] : ['the firewall changes']),
    ...change('placement', found.placement, wanted.placement),
    ...change('address', found.address, wanted.address),
    ...growth(wanted, found),
    ...(found.status === 'stopped' ? ['it is started'] : []),
  ];
  if (replaced.length > 0) return { action: 'replace', changes: [...replaced, ...updated] };
  return updated.length > 0 ? { action: 'update', changes: updated } : { action: 'noop' };
}

const quoted = (value: string | undefined) => (value === undefined ? 'none' : `"${value}"`);

const change = (what: string, from: string | undefined, to: string | undefined): string[] =>
  from === to ? [] : [`${what} ${quoted(from)} becomes ${quoted(to)}`];

/** Reports whether a server is in the wanted zone. For a wanted region, any of its zones matches. */
function liesIn(wanted: string | undefined, found: string | undefined): boolean {
  const place = wanted === undefined ? undefined : parseZone(wanted);
  if (!place || found === undefined) return true;
  return place.availabilityZone ? place.availabilityZone === found : parseZone(found)?.region === place.region;
}

function growth({ volumes }: WantedServer, { volumeSizes = {} }: FoundServer): string[] {
  return volumes.flatMap(({ name, sizeGiB }) => {
    const size = volumeSizes[name];
    if (size === undefined) return [`volume "${name}" comes`];
    if (size === sizeGiB) return [];
    return [`volume "${name}" ${size < sizeGiB ? 'grows' : 'shrinks, which cannot be,'} from ${size} to ${sizeGiB} GiB`];
  });
}

/** Lists volumes that are removed, or mounted elsewhere. */
function lost({ volumes }: WantedServer, { mounts = {} }: FoundServer): string[] {
  return Object.entries(mounts).flatMap(([name, mount]) => {
    const wanted = volumes.find((volume) => volume.name === name);
    if (!wanted) return [`volume "${name}" goes`];
    return wanted.mount === mount ? [] : [`volume "${name}" moves from ${mount} to ${wanted.mount}`];
  });
}
