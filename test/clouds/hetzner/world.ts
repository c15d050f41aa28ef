import { setTimeout as sleep } from 'node:timers/promises';
import type { Hosts, Machine } from '../machines.js';
import type { StandInAnswer } from '../stand-in-server.js';

/** Common fields of a project's row. */
export interface Row {
  id: number;
  name: string;
  labels: Record<string, string>;
  created: string;
}

export interface ServerRow extends Row {
  status: 'initializing' | 'starting' | 'running' | 'stopping' | 'off' | 'deleting';
  server_type: string;
  image: number;
  location: string;
  ipv4: string;
  address: number;
  networks: { network: number; ip: string }[];
  placement?: number;
  firewalls: number[];
  /** Disk size in GB. */
  disk: number;
}
export interface NetworkRow extends Row {
  ip_range: string;
  subnets: { ip_range: string; network_zone: string; type: string; gateway: string }[];
}
export interface VolumeRow extends Row {
  size: number;
  location: string;
  server: number | null;
  status: 'creating' | 'available';
}
export interface FirewallRow extends Row {
  rules: Record<string, unknown>[];
}
export interface AddressRow extends Row {
  ip: string;
  location: string;
  server: number | null;
  auto_delete: boolean;
}
export interface KeyRow extends Row {
  public_key: string;
}
/** Record set of a zone. Without a `ttl` it has that of the zone. */
export interface RrsetRow {
  name: string;
  type: string;
  ttl: number | null;
  records: { value: string }[];
}
export interface ZoneRow {
  id: number;
  name: string;
  created: string;
  ttl: number;
  rrsets: RrsetRow[];
}
export interface ActionRow {
  id: number;
  command: string;
  status: 'running' | 'success' | 'error';
  started: string;
  finished: string | null;
  error: { code: string; message: string } | null;
  resources: { id: number; type: string }[];
}

/** State of the project: plain data, so that a read can answer from an earlier copy. */
export interface State {
  servers: Map<number, ServerRow>;
  networks: Map<number, NetworkRow>;
  volumes: Map<number, VolumeRow>;
  firewalls: Map<number, FirewallRow>;
  primary_ips: Map<number, AddressRow>;
  placement_groups: Map<number, Row>;
  ssh_keys: Map<number, KeyRow>;
  actions: Map<number, ActionRow>;
  /** Zones by name. */
  zones: Map<string, ZoneRow>;
  /** Number of servers ever created, by name. */
  made: Record<string, number>;
}

export const emptyState = (): State => ({
  servers: new Map(),
  networks: new Map(),
  volumes: new Map(),
  firewalls: new Map(),
  primary_ips: new Map(),
  placement_groups: new Map(),
  ssh_keys: new Map(),
  actions: new Map(),
  zones: new Map(),
  made: {},
});

/** Durations of actions, in milliseconds. */
export interface Delays {
  make: number;
  boot: number;
  stop: number;
  remove: number;
  other: number;
}

export interface World {
  state: State;
  machines: Map<number, Machine>;
  /** User data of machines at their first boot, by name. */
  userData: Map<string, string>;
  hosts: Hosts;
  /** Whether volumes are disks of hosts. */
  disks: boolean;
  /** Called after possible changes. */
  changed(): void;
  delays: Delays;
  limits: { servers: number; networkMembers: number; groupMembers: number };
  /** Whether to reject requests that create something. */
  quota: boolean;
  closed: { yes: boolean };
  next: { id: number };
}

export interface Call {
  ids: number[];
  /** Names in the path: a zone, and the name and type of a record set. */
  names: string[];
  query: URLSearchParams;
  body: Record<string, unknown>;
}

/** Handlers by `METHOD /path/{}`. */
export type Routes = Record<string, (world: World, call: Call) => StandInAnswer | Promise<StandInAnswer>>;

/** Rejection in the format of the API. */
export class Refusal extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly fields: readonly string[] = [],
  ) {
    super(message);
  }
}

export const invalid = (message: string, ...fields: string[]): Refusal => new Refusal(422, 'invalid_input', message, fields);

export const newId = (world: World): number => ++world.next.id;
export const now = (): string => new Date().toISOString();

export type Table = Exclude<keyof State, 'made' | 'zones'>;

/** Returns the row with this id, or throws the API's rejection. */
export function existing<K extends Table>(
  { state }: World,
  table: K,
  id: number | undefined,
): NonNullable<ReturnType<State[K]['get']>> {
  const row = state[table].get(id ?? 0);
  if (!row) throw new Refusal(404, 'not_found', `${table.replace(/s$/, '')} with ID '${id}' not found`);
  return row as NonNullable<ReturnType<State[K]['get']>>;
}

const LABEL_VALUE = /^([A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?)?$/;
const LABEL_KEY = /^([a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?\/)?[A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?$/;

/** Returns the common part of a new row. Names are unique in a project, and labels are validated like in the API. */
export function newRow(world: World, table: Exclude<Table, 'actions'>, body: Call['body']): Row {
  if (world.quota) throw new Refusal(403, 'resource_limit_exceeded', `${table} limit exceeded`);
  const name = String(body.name ?? '');
  assertName(world, table, name);
  return { id: newId(world), name, labels: labelsIn(body), created: now() };
}

export function assertName({ state }: World, table: Exclude<Table, 'actions'>, name: string): void {
  if (!/^[A-Za-z0-9]([A-Za-z0-9._-]{0,62}[A-Za-z0-9])?$/.test(name)) throw invalid("invalid input in field 'name'", 'name');
  if ([...(state[table] as Map<number, Row>).values()].some((row) => row.name === name))
    throw new Refusal(409, 'uniqueness_error', 'name is already used', ['name']);
}

export function labelsIn({ labels = {} }: Call['body']): Record<string, string> {
  for (const [key, value] of Object.entries(labels as Record<string, string>))
    if (!LABEL_KEY.test(key) || key.startsWith('hetzner.cloud/') || !LABEL_VALUE.test(value))
      throw invalid(`invalid label ${key}`, 'labels');
  return { ...(labels as Record<string, string>) };
}

/** Rejects work on a server with a running action. */
export function assertUnlocked({ state }: World, server: ServerRow): void {
  for (const { status, resources } of state.actions.values())
    if (status === 'running' && resources.some(({ id, type }) => type === 'server' && id === server.id))
      throw new Refusal(423, 'locked', 'server is locked');
}

/** Starts an action that takes a while. Its effect comes at the end, after those of earlier actions. */
export function begin(
  world: World,
  command: string,
  resources: { id: number; type: string }[],
  {
    takes = world.delays.other,
    effect,
    after,
  }: { takes?: number; effect?: () => void | Promise<void>; after?: Promise<void> } = {},
): { action: ActionRow; end: Promise<void> } {
  const action: ActionRow = {
    id: newId(world),
    command,
    status: 'running',
    started: now(),
    finished: null,
    error: null,
    resources,
  };
  world.state.actions.set(action.id, action);
  const run = async () => {
    await after;
    await sleep(takes);
    if (world.closed.yes) return;
    try {
      await effect?.();
      world.changed();
      action.status = 'success';
    } catch (error) {
      action.status = 'error';
      action.error = { code: 'action_failed', message: String(error) };
    }
    action.finished = now();
  };
  return { action, end: run() };
}
