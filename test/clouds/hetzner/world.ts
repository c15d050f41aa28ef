import { setTimeout as sleep } from 'node:timers/promises';
import type { Hosts, Machine } from '../machines.js';
import type { StandInAnswer } from '../stand-in-server.js';

/** A row as the project has it; other fields are those of its kind. */
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
  /** GB. */
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
/** A record set of a zone; without a `ttl` it has that of the zone. */
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

/** What the project has: plain data, so that a read can answer from an earlier copy. */
export interface State {
  servers: Map<number, ServerRow>;
  networks: Map<number, NetworkRow>;
  volumes: Map<number, VolumeRow>;
  firewalls: Map<number, FirewallRow>;
  primary_ips: Map<number, AddressRow>;
  placement_groups: Map<number, Row>;
  ssh_keys: Map<number, KeyRow>;
  actions: Map<number, ActionRow>;
  /** By their names. */
  zones: Map<string, ZoneRow>;
  /** How many servers were ever made, by name. */
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

/** How long things take, in milliseconds. */
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
  /** What machines were told at their first boot, by name. */
  userData: Map<string, string>;
  hosts: Hosts;
  /** Volumes are disks of hosts. */
  disks: boolean;
  /** Called where something may have changed. */
  changed(): void;
  delays: Delays;
  limits: { servers: number; networkMembers: number; groupMembers: number };
  /** Refuse what makes something. */
  quota: boolean;
  closed: { yes: boolean };
  next: { id: number };
}

export interface Call {
  ids: number[];
  /** What the path names: a zone, and the name and type of a record set. */
  names: string[];
  query: URLSearchParams;
  body: Record<string, unknown>;
}

/** `METHOD /path/{}` and what answers it. */
export type Routes = Record<string, (world: World, call: Call) => StandInAnswer | Promise<StandInAnswer>>;

/** A refusal in the form of the API. */
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

/** The row with this id, or the refusal of the API. */
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

/** The common part of a new row: names are unique in a project, labels as the API takes them. */
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

/** One that is being worked on refuses other work. */
export function assertUnlocked({ state }: World, server: ServerRow): void {
  for (const { status, resources } of state.actions.values())
    if (status === 'running' && resources.some(({ id, type }) => type === 'server' && id === server.id))
      throw new Refusal(423, 'locked', 'server is locked');
}

/** Begins something that takes a while; its effect comes at the end, and after what was begun before it. */
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
