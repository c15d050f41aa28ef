import { randomBytes, randomUUID } from 'node:crypto';

/** State of an account in the stand-in: plain data, so that a read can answer from an earlier copy. */
export interface Account {
  servers: Map<string, Server>;
  storages: Map<string, Storage>;
  networks: Map<string, Network>;
  routers: Map<string, Router>;
  groups: Map<string, Group>;
  addresses: Map<string, Address>;
  /** Tags by their names in lower case: names that differ only in case are the same tag. */
  tags: Map<string, Tag>;
  gateways: Map<string, Gateway>;
  /** Number of servers ever created, by title. */
  made: Record<string, number>;
}

export interface Label {
  key: string;
  value: string;
}

export type ServerState = 'maintenance' | 'started' | 'stopped' | 'error';

export interface Server {
  uuid: string;
  title: string;
  hostname: string;
  zone: string;
  plan: string;
  cores: number;
  memory: number;
  labels: Label[];
  firewall: 'on' | 'off';
  metadata: 'yes' | 'no';
  /** Seconds since 1970. */
  created: number;
  state: ServerState;
  /** Pending state with its time and zone. */
  next?: { state: ServerState; at: number; zone?: string };
  devices: { address: string; storage: string; boot: boolean }[];
  interfaces: Interface[];
  group?: string;
  rules: Record<string, string>[];
  host: number;
}

export interface Interface {
  index: number;
  type: 'public' | 'utility' | 'private';
  network: string;
  mac: string;
  /** Keys of `addresses` for public and utility addresses. Private ones are only here. */
  addresses: { address: string; family: string }[];
}

export interface Storage {
  uuid: string;
  title: string;
  size: number;
  tier: string;
  zone: string;
  state: 'online' | 'maintenance';
  readyAt?: number;
  created: string;
  labels: Label[];
  backupRule?: unknown;
  /** Storage from which a backup was made. */
  origin?: string;
}

export interface Network {
  uuid: string;
  name: string;
  zone: string;
  ip: Record<string, unknown>[];
  labels: Label[];
  router?: string;
  /** Number of assigned addresses. */
  given: number;
  /** Number that distinguishes the machines' private networks. */
  number: number;
}

export interface Router {
  uuid: string;
  name: string;
  labels: Label[];
  staticRoutes: unknown[];
}

export interface Group {
  uuid: string;
  title: string;
  affinity: 'strict' | 'yes' | 'no';
  servers: string[];
  labels: Label[];
}

export interface Address {
  address: string;
  family: string;
  access: 'public' | 'utility';
  zone: string;
  floating: boolean;
  policy: 'keep' | 'release';
  ptr: string;
  mac?: string;
}

export interface Tag {
  name: string;
  description: string;
  servers: string[];
}

export interface Gateway {
  uuid: string;
  name: string;
  zone: string;
  features: string[];
  routers: string[];
  status: string;
  labels: Label[];
  created: string;
  updated: string;
  /** While it is `pending`. */
  readyAt?: number;
  /** While it is being deleted. */
  goneAt?: number;
  /** Once it ran. */
  address?: string;
}

export const emptyAccount = (): Account => ({
  servers: new Map(),
  storages: new Map(),
  networks: new Map(),
  routers: new Map(),
  groups: new Map(),
  addresses: new Map(),
  tags: new Map(),
  gateways: new Map(),
  made: {},
});

/** Creates a UUID. The first two digits of UpCloud's UUIDs indicate the kind. */
export const newUuid = (kind: 'server' | 'storage' | 'network' | 'router' | 'group' | 'gateway'): string =>
  ({ server: '00', storage: '01', network: '03', router: '04', group: '0b', gateway: '10' })[kind] + randomUUID().slice(2);

export const newMac = (): string =>
  ['da', '45', ...[...randomBytes(4)].map((byte) => byte.toString(16).padStart(2, '0'))].join(':');

/** Completes pending changes whose time has come. */
export function settle(account: Account, now = Date.now()): void {
  for (const server of account.servers.values()) {
    if (!server.next || server.next.at > now) continue;
    if (server.next.zone) move(account, server, server.next.zone);
    server.state = server.next.state;
    server.next = undefined;
  }
  for (const storage of account.storages.values()) {
    if (storage.readyAt === undefined || storage.readyAt > now) continue;
    storage.state = 'online';
    storage.readyAt = undefined;
  }
  for (const gateway of account.gateways.values()) {
    if (gateway.goneAt !== undefined && gateway.goneAt <= now) account.gateways.delete(gateway.uuid);
    if (gateway.readyAt === undefined || gateway.readyAt > now) continue;
    gateway.address ??= `5.22.223.${1 + (account.gateways.size % 250)}`;
    gateway.readyAt = undefined;
  }
}

/** Moves a server with its resources to another zone. */
function move({ addresses, storages }: Account, server: Server, zone: string): void {
  server.zone = zone;
  for (const storage of withBackups(storages, server)) Object.assign(storage, { zone, state: 'online' });
  const macs = new Set(server.interfaces.map(({ mac }) => mac));
  for (const address of addresses.values()) if (address.mac && macs.has(address.mac)) address.zone = zone;
}

/** Returns the storages of a server, and their backups. */
export const withBackups = (storages: Account['storages'], { devices }: Server): Storage[] =>
  [...storages.values()].filter(({ uuid, origin }) => devices.some(({ storage }) => storage === uuid || storage === origin));

/** Returns the tags by name, ignoring case, as recorded. */
export const tagsOf = ({ tags }: Account): Tag[] => [...tags].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, tag]) => tag);

/** Returns the backups, newest first. */
export const backupsOf = ({ storages }: Account, uuid: string): Storage[] =>
  [...storages.values()].filter(({ origin }) => origin === uuid).reverse();

export const serverWithMac = ({ servers }: Account, mac: string | undefined): Server | undefined =>
  mac ? [...servers.values()].find(({ interfaces }) => interfaces.some((one) => one.mac === mac)) : undefined;

export const serverWithStorage = ({ servers }: Account, uuid: string): Server | undefined =>
  [...servers.values()].find(({ devices }) => devices.some(({ storage }) => storage === uuid));

/** Returns whether all conditions `?label=k` and `?label=k=v` match. */
export const bears = (labels: Label[], query: URLSearchParams): boolean =>
  query.getAll('label').every((filter) => {
    const [key = '', ...rest] = filter.split('=');
    return labels.some((label) => label.key === key && (rest.length === 0 || label.value === rest.join('=')));
  });
