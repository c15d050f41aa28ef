import type { Value } from '../layers/values.js';
import type { ValueType } from './value-types.js';

/**
 * Who is told: `client` is how commands behave, and may be said by files that come with a workspace.
 * `engine` is where things run and are kept: only this machine's own file and variables may say it,
 * so that a folder out of Git cannot redirect the engine, the store or the keys.
 */
export type Scope = 'client' | 'engine';

/** A setting: one typed key. */
export interface Key {
  /** `engine.taskQueue` */
  name: string;
  type: ValueType;
  description: string;
  /** What a number counts. */
  unit?: string;
  /** Without one the key has no value unless a layer says it. */
  default?: Value;
  /** What holds where it has no value. */
  otherwise?: string;
  scope: Scope;
  /** The variable that our code reads, where it is not the one that follows from the name. */
  alias?: string;
  /** Its name in `settings.yaml`. */
  former?: string;
  /** Its value is shown nowhere unless asked for. */
  sensitive?: true;
}

/** Whether a key is a field of a taskserv: it is laid under the configuration of a definition. */
export const isServiceField = ({ type }: Pick<Key, 'type'>): boolean => type.kind === 'field';

/** Whether a key is listed: a field of a taskserv only where some layer says it. */
export const isListed = (key: Pick<Key, 'type'>, layer: string | undefined): boolean =>
  !isServiceField(key) || (layer !== undefined && layer !== 'defaults');

/** The variable that follows from the name of a key: `engine.taskQueue` is `PROVISIONING_ENGINE_TASK_QUEUE`. */
export const variableOf = (name: string): string =>
  `PROVISIONING_${name
    .replaceAll(/[.-]/g, '_')
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .toUpperCase()}`;

const variables = new WeakMap<object, readonly string[]>();

/** The variables that say a key: what our code reads goes first. Asked for at each look, and so kept. */
export function variablesOf(key: Pick<Key, 'name' | 'alias'>): readonly string[] {
  const known = variables.get(key);
  if (known) return known;
  const own = variableOf(key.name);
  const all = key.alias === undefined || key.alias === own ? [own] : [key.alias, own];
  variables.set(key, all);
  return all;
}

/** All keys, by name, with the maps that they stand in. */
export interface Registry {
  keys: ReadonlyMap<string, Key>;
  /** Names of maps that hold keys or maps: `engine`. */
  groups: ReadonlySet<string>;
}

export function buildRegistry(keys: readonly Key[]): Registry {
  const groups = new Set<string>();
  for (const { name } of keys) {
    const parts = name.split('.');
    for (let count = 1; count < parts.length; count++) groups.add(parts.slice(0, count).join('.'));
  }
  return { keys: new Map(keys.map((key) => [key.name, key])), groups };
}
