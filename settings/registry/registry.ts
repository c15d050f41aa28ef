import type { Value } from '../layers/values.js';
import type { ValueType } from './value-types.js';

/**
 * Scope of a setting. `client` is the behavior of commands, and files of a workspace may set it. `engine` is the place
 * of programs and data: only this machine's own file and variables may set it. Otherwise a cloned folder could redirect
 * the engine, the store or the keys.
 */
export type Scope = 'client' | 'engine';

/** Setting: one typed key. */
export interface Key {
  /** `engine.taskQueue` */
  name: string;
  type: ValueType;
  description: string;
  /** Unit of a number. */
  unit?: string;
  /** Without a default, the key has no value until a layer sets it. */
  default?: Value;
  /** Behavior without a value. */
  otherwise?: string;
  scope: Scope;
  /** Variable that our code reads, if it differs from the one derived from the name. */
  alias?: string;
  /** Its name in `settings.yaml`. */
  former?: string;
  /** Its value is shown only on request. */
  sensitive?: true;
}

/** Reports whether a key is a field of a taskserv. Its value is a default for the configuration in definitions. */
export const isServiceField = ({ type }: Pick<Key, 'type'>): boolean => type.kind === 'field';

/** Reports whether a key is listed: fields of taskservs only if a layer sets them. */
export const isListed = (key: Pick<Key, 'type'>, layer: string | undefined): boolean =>
  !isServiceField(key) || (layer !== undefined && layer !== 'defaults');

/** Returns the variable derived from the name of a key: `PROVISIONING_ENGINE_TASK_QUEUE` for `engine.taskQueue`. */
export const variableOf = (name: string): string =>
  `PROVISIONING_${name
    .replaceAll(/[.-]/g, '_')
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .toUpperCase()}`;

const variables = new WeakMap<object, readonly string[]>();

/** Returns the variables of a key, the one that our code reads first. Cached, because each resolution needs them. */
export function variablesOf(key: Pick<Key, 'name' | 'alias'>): readonly string[] {
  const known = variables.get(key);
  if (known) return known;
  const own = variableOf(key.name);
  const all = key.alias === undefined || key.alias === own ? [own] : [key.alias, own];
  variables.set(key, all);
  return all;
}

/** All keys by name, with the maps that contain them. */
export interface Registry {
  keys: ReadonlyMap<string, Key>;
  /** Names of maps that contain keys or maps: `engine`. */
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
