/** What a layer says: data of YAML, TOML or JSON. `null` takes away what lower layers say. */
export type Value = null | string | number | boolean | Value[] | Tree;
export interface Tree {
  [key: string]: Value;
}

type Path = readonly string[];

/** The key by which the items of a list are told apart; undefined for a list that replaces the one below. */
export type MergeKeyOf = (path: Path) => string | undefined;

/** The only key of a map which says that its value replaces whatever is below, of whatever type. */
export const REPLACE = '$replace';

/** Names that reach into objects of the language instead of naming data. */
export const FORBIDDEN: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

/** Two layers that cannot be merged: where, and why. Values are not in it. */
export class MergeConflict extends Error {
  readonly path: Path;
  constructor(path: Path, why: string) {
    super(why);
    this.path = path;
  }
}

const replaces: MergeKeyOf = () => undefined;

/**
 * Puts one layer over another. Neither is changed. Maps merge; a list merges where it has a
 * merge key, in the order of `base`, new items last; all else replaces. `null` and `$replace`
 * stay in the result, so that any further layer can be put over or under it; `settle` ends them.
 *
 * @throws MergeConflict for values of two types, for keys that are refused, for items without their key
 */
export function merge(base: Tree, over: Tree, mergeKeyOf: MergeKeyOf = replaces): Tree {
  return mergeMaps(base, over, [], mergeKeyOf);
}

/** What is left in the end: without `null`, without `$replace`. */
export function settle(tree: Tree): Tree {
  const settled: Tree = {};
  for (const [key, value] of Object.entries(tree)) {
    if (FORBIDDEN.has(key)) throw refusedKey([], key);
    const left = settleValue(value);
    if (left !== null) settled[key] = left;
  }
  return settled;
}

function settleValue(value: Value): Value {
  const plain = isReplacement(value) ? value[REPLACE] : value;
  if (Array.isArray(plain)) return plain.map(settleValue).filter((item) => item !== null);
  return isMap(plain) ? settle(plain) : plain;
}

const isMap = (value: Value): value is Tree => typeof value === 'object' && value !== null && !Array.isArray(value);

/** Whether a value is `{ $replace: … }`. */
const isReplacement = (value: Value): value is { [REPLACE]: Value } => isMap(value) && Object.hasOwn(value, REPLACE);

function mergeMaps(base: Tree, over: Tree, path: Path, mergeKeyOf: MergeKeyOf): Tree {
  const merged: Tree = {};
  for (const [key, value] of Object.entries(base)) merged[allowed(path, key)] = checked(value, [...path, key], mergeKeyOf);
  for (const [key, value] of Object.entries(over)) {
    const here = [...path, allowed(path, key)];
    merged[key] = Object.hasOwn(merged, key)
      ? mergeValues(merged[key] as Value, value, here, mergeKeyOf)
      : checked(value, here, mergeKeyOf);
  }
  return merged;
}

function mergeValues(base: Value, over: Value, path: Path, mergeKeyOf: MergeKeyOf): Value {
  const above = checked(over, path, mergeKeyOf);
  if (above === null || isReplacement(above)) return above;
  // What is over a tombstone is over nothing, and so it stays whatever comes below: else the order of merging would count.
  if (base === null) return { [REPLACE]: above };
  if (isReplacement(base)) {
    const within = base[REPLACE];
    return { [REPLACE]: within === null ? above : mergeValues(within, above, path, mergeKeyOf) };
  }
  const [below, here] = [typeOf(base), typeOf(above)];
  if (below !== here) throw new MergeConflict(path, `it is ${here} here and ${below} in a layer below`);
  if (isMap(base) && isMap(above)) return mergeMaps(base, above, path, mergeKeyOf);
  const mergeKey = mergeKeyOf(path);
  if (Array.isArray(base) && Array.isArray(above) && mergeKey !== undefined)
    return mergeLists(base, above, { mergeKey, path, mergeKeyOf });
  return above;
}

/** In the order of the lower list; what it does not have comes last, in the order of the upper one. */
function mergeLists(base: Value[], over: Value[], how: { mergeKey: string; path: Path; mergeKeyOf: MergeKeyOf }): Value[] {
  const { mergeKey, path, mergeKeyOf } = how;
  const items = new Map<string, Tree>();
  for (const item of base) items.set(nameOf(item, mergeKey, path), item as Tree);
  for (const item of over) {
    const name = nameOf(item, mergeKey, path);
    const below = items.get(name);
    items.set(name, below ? mergeMaps(below, item as Tree, [...path, '*'], mergeKeyOf) : (item as Tree));
  }
  return [...items.values()];
}

/** A copy of what one layer says, once it is known to be data that can be merged. */
function checked(value: Value, path: Path, mergeKeyOf: MergeKeyOf): Value {
  if (Array.isArray(value)) {
    const mergeKey = mergeKeyOf(path);
    if (mergeKey !== undefined) {
      const names = value.map((item) => nameOf(item, mergeKey, path));
      const twice = names.find((name, index) => names.indexOf(name) !== index);
      if (twice !== undefined) throw new MergeConflict(path, `two items have the same "${mergeKey}"`);
    }
    return value.map((item) => checked(item, [...path, '*'], mergeKeyOf));
  }
  if (!isMap(value)) return value;
  if (isReplacement(value)) {
    if (Object.keys(value).length > 1) throw new MergeConflict(path, `beside "${REPLACE}" there can be no other key`);
    const within = checked(value[REPLACE], path, mergeKeyOf);
    // To replace by a replacement, or by nothing, is the same as to say it once.
    return within === null || isReplacement(within) ? within : { [REPLACE]: within };
  }
  return mergeMaps({}, value, path, mergeKeyOf);
}

function nameOf(item: Value, mergeKey: string, path: Path): string {
  const name = isMap(item) && Object.hasOwn(item, mergeKey) ? item[mergeKey] : undefined;
  if (typeof name !== 'string' || name === '') throw new MergeConflict(path, `each item is a map with the text "${mergeKey}"`);
  return name;
}

function allowed(path: Path, key: string): string {
  if (FORBIDDEN.has(key)) throw refusedKey(path, key);
  return key;
}

const refusedKey = (path: Path, key: string) => new MergeConflict([...path, key], `no key may be called "${key}"`);

const typeOf = (value: Value): string => (Array.isArray(value) ? 'a list' : isMap(value) ? 'a map' : `a ${typeof value}`);
