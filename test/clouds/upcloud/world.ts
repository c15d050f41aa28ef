import { inspect } from 'node:util';
import type { Hosts, Machine } from '../machines.js';
import type { Account } from './account.js';
import { Refusal } from './answers.js';

/** Durations of actions, in milliseconds. */
export interface Delays {
  boot: number;
  stop: number;
  storage: number;
  relocation: number;
  gateway: number;
}

/** State shared by the routes of the stand-in. */
export interface World {
  account: Account;
  machines: Map<string, Machine>;
  hosts: Hosts;
  delays: Delays;
  /** Limits of the account. */
  limits: { cores: number };
  /** Whether to reject requests that create something. */
  quota: boolean;
  /** User data of each machine at its first boot. */
  userData: Map<string, string>;
}

/** Request with a matched path. `ids` has the parts of the path for `{}`. */
export interface Call {
  ids: string[];
  query: URLSearchParams;
  /** Content of the body's envelope, if it has one. */
  body: Record<string, unknown>;
}

export interface Reply {
  status: number;
  body?: unknown;
}

/** Handlers by `METHOD /path/{}`. */
export type Routes = Record<string, (world: World, call: Call) => Reply | Promise<Reply>>;

/** Returns the items of a list in its envelope: `{ label: [ … ] }`. */
export function itemsOf(envelope: unknown, key: string): Record<string, unknown>[] {
  if (envelope === undefined) return [];
  const items = (envelope as Record<string, unknown>)[key];
  if (!Array.isArray(items)) throw new Refusal(400, 'REQUEST_INVALID', `A list "${key}" was expected: ${inspect(envelope)}`);
  return items as Record<string, unknown>[];
}

export const textOf = (value: unknown): string => (value === undefined || value === null ? '' : String(value));

/** Validates labels like UpCloud: keys of 2 to 32 characters, values of up to 255, unique keys. */
export function labelsOf(items: Record<string, unknown>[]): { key: string; value: string }[] {
  const labels = items.map(({ key, value }) => ({ key: textOf(key), value: textOf(value) }));
  for (const { key, value } of labels) {
    if (!/^[\x20-\x7e]{2,32}$/.test(key) || key.startsWith('_'))
      throw new Refusal(400, 'INVALID_LABEL_KEY', `The label key ${key} is invalid.`);
    if (value.length > 255) throw new Refusal(400, 'INVALID_LABEL_VALUE', `The value of the label ${key} is too long.`);
  }
  if (new Set(labels.map(({ key }) => key)).size < labels.length)
    throw new Refusal(400, 'DUPLICATE_LABEL_KEYS', 'The labels contain duplicate keys.');
  return labels;
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Returns the entry with this UUID, or throws UpCloud's rejection. */
export function existing<T>(
  map: Map<string, T>,
  uuid: string | undefined,
  what: 'server' | 'storage' | 'network' | 'router' | 'group' | 'gateway',
): T {
  const code = what.toUpperCase();
  if (!uuid || !UUID.test(uuid)) throw new Refusal(400, `${code}_INVALID`, `The ${what} UUID is invalid.`);
  const found = map.get(uuid);
  if (!found) throw new Refusal(404, `${code}_NOT_FOUND`, `The ${what} ${uuid} does not exist.`);
  return found;
}
