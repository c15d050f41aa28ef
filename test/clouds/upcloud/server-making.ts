import { newMachine } from '../machines.js';
import { type Interface, newUuid, type Server, serverWithStorage } from './account.js';
import { freshMac, newAddress } from './addresses.js';
import { detailedServer, Refusal } from './answers.js';
import { assertZone, planNamed, TEMPLATES } from './catalog.js';
import { joinGroup } from './groups.js';
import { isTaken, nextAddress } from './networks.js';
import { newStorage } from './storages.js';
import { type Call, existing, itemsOf, labelsOf, type Reply, textOf, type World } from './world.js';

/** Implements `POST /1.3/server`. Everything is validated before anything is created. */
export async function makeServer(world: World, { body }: Call): Promise<Reply> {
  const { account } = world;
  const title = textOf(body.title);
  const hostname = textOf(body.hostname);
  if (title === '') throw new Refusal(400, 'SERVER_TITLE_MISSING', 'The required attribute title is missing from the request.');
  if (!/^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/i.test(hostname))
    throw new Refusal(400, 'HOSTNAME_INVALID', `The hostname ${hostname} is invalid.`);
  const zone = textOf(body.zone);
  assertZone(zone);
  const plan = planNamed(textOf(body.plan));
  const labels = labelsOf(itemsOf(body.labels, 'label'));
  const group = body.server_group === undefined ? undefined : existing(account.groups, textOf(body.server_group), 'group');
  const networking = body.networking as { interfaces?: unknown } | undefined;
  const interfaces = itemsOf(networking?.interfaces, 'interface');
  const privates = interfaces
    .filter(({ type }) => type === 'private')
    .map(({ network }) => existing(account.networks, textOf(network), 'network'));
  for (const network of privates)
    if (network.zone !== zone)
      throw new Refusal(409, 'ZONE_MISMATCH', `The network ${network.uuid} is in the zone ${network.zone}.`);
  for (const one of interfaces) {
    if (one.type === 'private' && isTaken(account, textOf(one.network), asked(one)))
      throw new Refusal(409, 'IP_ADDRESS_RESOURCES_UNAVAILABLE', `The address ${asked(one)} is taken.`);
  }
  const devices = itemsOf(body.storage_devices, 'storage_device');
  if (devices.length === 0) throw new Refusal(400, 'STORAGE_DEVICES_MISSING', 'The required attribute storage_devices is missing.');
  for (const device of devices) judgeDevice(world, device, zone, body);
  const used = [...account.servers.values()].reduce((sum, { cores }) => sum + cores, 0);
  if (world.quota || used + plan.cores > world.limits.cores)
    throw new Refusal(403, 'SERVER_CORE_LIMIT_REACHED', 'The core limit of the account has been reached.');

  const machine = await newMachine({ name: hostname, userData: textOf(body.user_data), hosts: world.hosts });
  const server: Server = {
    uuid: newUuid('server'),
    title,
    hostname,
    zone,
    plan: textOf(body.plan),
    cores: plan.cores,
    memory: plan.memory,
    labels,
    firewall: body.firewall === 'on' ? 'on' : 'off',
    metadata: body.metadata === 'yes' ? 'yes' : 'no',
    created: Math.floor(Date.now() / 1000),
    state: 'maintenance',
    next: { state: 'started', at: Date.now() + world.delays.boot },
    devices: [],
    interfaces: [],
    group: group?.uuid,
    rules: [],
    host: 4714676867,
  };
  world.machines.set(server.uuid, machine);
  world.userData.set(server.uuid, textOf(body.user_data));
  server.devices = devices.map((device, index) => ({
    address: `virtio:${index}`,
    storage: device.action === 'clone' ? clone(world, device, zone) : textOf(device.storage),
    boot: index === 0,
  }));
  server.interfaces = interfaces.map((wanted, index) => connect(world, wanted, index + 1, zone, machine.address));
  if (group) joinGroup(account, group, server);
  account.servers.set(server.uuid, server);
  account.made[title] = (account.made[title] ?? 0) + 1;
  // The call returns before the boot.
  void machine.start().catch(() => {
    server.next = undefined;
    server.state = 'error';
  });
  for (const { network: uuid, addresses } of server.interfaces) {
    const network = account.networks.get(uuid);
    const bits = textOf(network?.ip[0]?.address).split('/')[1];
    if (network) void machine.join(network.number, `${addresses[0]?.address}/${bits}`).catch(() => {});
  }
  const made = { ...detailedServer(account, server), password: 'x', progress: '0', username: 'root' };
  return { status: 202, body: { server: made } };
}

/** Returns the requested address, or an empty text to leave it to DHCP. */
const asked = (wanted: Record<string, unknown>): string => textOf(itemsOf(wanted.ip_addresses, 'ip_address')[0]?.address);

function judgeDevice(world: World, device: Record<string, unknown>, zone: string, server: Record<string, unknown>): void {
  if (device.action === 'clone') {
    const template = TEMPLATES.find(({ uuid }) => uuid === device.storage);
    if (!template) throw new Refusal(404, 'STORAGE_NOT_FOUND', `The storage ${device.storage} does not exist.`);
    if (Number(device.size) < template.size) throw new Refusal(400, 'SIZE_INVALID', 'The storage is smaller than its template.');
    if (server.metadata !== 'yes')
      throw new Refusal(400, 'METADATA_DISABLED_ON_CLOUD-INIT', 'The metadata service must be enabled for cloud-init templates.');
    return;
  }
  const storage = existing(world.account.storages, textOf(device.storage), 'storage');
  if (storage.zone !== zone) throw new Refusal(409, 'ZONE_MISMATCH', `The storage ${storage.uuid} is in the zone ${storage.zone}.`);
  if (storage.state !== 'online')
    throw new Refusal(409, 'STORAGE_STATE_ILLEGAL', `The storage ${storage.uuid} is in state ${storage.state}.`);
  if (serverWithStorage(world.account, storage.uuid))
    throw new Refusal(409, 'STORAGE_ATTACHED', `The storage ${storage.uuid} is attached already.`);
}

function clone(world: World, device: Record<string, unknown>, zone: string): string {
  const template = TEMPLATES.find(({ uuid }) => uuid === device.storage);
  return newStorage(world, {
    title: textOf(device.title),
    size: Number(device.size),
    zone,
    labels: [{ key: '_template_uuid', value: template?.uuid ?? '' }],
  }).uuid;
}

function connect({ account }: World, wanted: Record<string, unknown>, index: number, zone: string, machine: string): Interface {
  const mac = freshMac();
  if (wanted.type === 'private') {
    const network = account.networks.get(textOf(wanted.network));
    if (!network) throw new Error('a network that was there is gone');
    return {
      index,
      type: 'private',
      network: network.uuid,
      mac,
      addresses: [{ address: asked(wanted) || nextAddress(account, network), family: 'IPv4' }],
    };
  }
  if (wanted.type !== 'public')
    throw new Refusal(400, 'NETWORK_TYPE_INVALID', 'The stand-in connects to public and private networks.');
  const addresses = itemsOf(wanted.ip_addresses, 'ip_address').map(({ family }) => ({
    // The first is the machine's real address.
    address: newAddress(account, {
      zone,
      mac,
      floating: false,
      family: textOf(family),
      address: family === 'IPv4' ? machine : undefined,
    }),
    family: textOf(family),
  }));
  return { index, type: 'public', network: '03000000-0000-4000-8095-000000000000', mac, addresses };
}
