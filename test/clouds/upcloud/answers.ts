import type { StandInAnswer } from '../stand-in-server.js';
import type { Account, Network, Server, Storage } from './account.js';
import { backupsOf, serverWithMac, serverWithStorage, tagsOf } from './account.js';

/** Rejection in UpCloud's classic format. */
export class Refusal extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}

export const refused = ({ status, code, message }: { status: number; code: string; message: string }): StandInAnswer => ({
  status,
  body: { error: { error_code: code, error_message: message } },
});

/** Formats a server in a list: without addresses and storages. */
export const listedServer = (account: Account, server: Server) => ({
  core_number: String(server.cores),
  created: server.created,
  host: server.host,
  hostname: server.hostname,
  labels: { label: server.labels },
  license: 0,
  memory_amount: String(server.memory),
  plan: server.plan,
  plan_ipv4_bytes: '0',
  plan_ipv6_bytes: '0',
  server_group: server.group ?? null,
  simple_backup: 'no',
  state: server.state,
  tags: { tag: tagsOf(account).flatMap(({ name, servers }) => (servers.includes(server.uuid) ? [name] : [])) },
  title: server.title,
  uuid: server.uuid,
  zone: server.zone,
});

export function detailedServer(account: Account, server: Server) {
  const interfaces = server.interfaces.map((one) => ({
    bootable: 'no',
    index: one.index,
    ip_addresses: { ip_address: addressesOn(account, one.mac, one.addresses) },
    mac: one.mac,
    network: one.network,
    source_ip_filtering: 'yes',
    type: one.type,
  }));
  return {
    ...listedServer(account, server),
    boot_order: 'disk',
    devices: { device: [] },
    firewall: server.firewall,
    ip_addresses: {
      ip_address: interfaces
        .filter(({ type }) => type !== 'private')
        .flatMap(({ type, ip_addresses }) =>
          ip_addresses.ip_address.map(({ address, family }) => ({ access: type, address, family })),
        ),
    },
    metadata: server.metadata,
    networking: { interfaces: { interface: interfaces } },
    nic_model: 'virtio',
    remote_access_enabled: 'no',
    remote_access_password: 'x',
    remote_access_type: 'vnc',
    storage_devices: {
      storage_device: server.devices.flatMap(({ address, storage, boot }) => {
        const found = account.storages.get(storage);
        return found ? [{ address, boot_disk: boot ? '1' : '0', ...device(found) }] : [];
      }),
    },
    timezone: 'UTC',
    video_model: 'cirrus',
  };
}

const device = (storage: Storage) => ({
  labels: storage.labels,
  storage: storage.uuid,
  storage_encrypted: 'no',
  storage_size: storage.size,
  storage_tier: storage.tier,
  storage_title: storage.title,
  type: 'disk',
});

function addressesOn({ addresses }: Account, mac: string, own: { address: string; family: string }[]) {
  const floating = [...addresses.values()].filter((one) => one.mac === mac && !own.some(({ address }) => address === one.address));
  return [...own, ...floating].map(({ address, family }) => {
    const entry = addresses.get(address);
    return {
      address,
      dhcp_provided: entry?.floating ? 'no' : 'yes',
      family,
      floating: entry?.floating ? 'yes' : 'no',
      release_policy: entry?.policy ?? 'release',
    };
  });
}

export const listedStorage = (storage: Storage) => ({
  access: 'private',
  created: storage.created,
  encrypted: 'no',
  labels: storage.labels,
  license: 0,
  size: storage.size,
  state: storage.state,
  tier: storage.tier,
  title: storage.title,
  ...(storage.origin ? { origin: storage.origin } : {}),
  type: storage.origin ? 'backup' : 'normal',
  uuid: storage.uuid,
  zone: storage.zone,
});

export const detailedStorage = (account: Account, storage: Storage) => ({
  ...listedStorage(storage),
  backup_rule: storage.backupRule ?? {},
  backups: { backup: backupsOf(account, storage.uuid).map(({ uuid }) => uuid) },
  servers: { server: [serverWithStorage(account, storage.uuid)?.uuid].filter((uuid) => uuid !== undefined) },
});

/** Formats a network. Answers to creation and change lack `servers`, as in the recordings. */
export function oneNetwork(account: Account, network: Network, withServers: boolean) {
  const servers = [...account.servers.values()].filter(({ interfaces }) => interfaces.some((one) => one.network === network.uuid));
  return {
    effective_routes: [],
    ip_networks: { ip_network: network.ip },
    labels: network.labels,
    name: network.name,
    ...(network.router ? { router: network.router } : {}),
    ...(withServers && servers.length > 0 ? { servers: { server: servers.map(({ title, uuid }) => ({ title, uuid })) } } : {}),
    type: 'private',
    uuid: network.uuid,
    zone: network.zone,
  };
}

export function oneAddress(account: Account, address: string) {
  const found = account.addresses.get(address);
  if (!found) throw new Refusal(404, 'IP_ADDRESS_NOT_FOUND', `The IP address ${address} does not exist.`);
  const server = serverWithMac(account, found.mac);
  return {
    access: found.access,
    address,
    family: found.family,
    ...(found.floating ? { floating: 'yes' } : {}),
    ...(found.mac ? { mac: found.mac } : {}),
    ptr_record: found.ptr,
    release_policy: found.policy,
    ...(server ? { server: server.uuid } : {}),
    zone: found.zone,
  };
}
