/** Place of a value in its data. */
export type MergePath = readonly (string | number)[];

/**
 * Layer of a value in the merged data, and its place in that layer. Inner values have the place of their outer value
 * unless they are listed.
 */
export interface Trace {
  layer: number;
  path: MergePath;
  inside?: ReadonlyMap<string | number, Trace>;
}

/** Data that is put together from layers. */
export interface MergedData {
  value: unknown;
  trace: Trace;
}

/** Two layers that say what cannot be joined. */
export interface Conflict {
  message: string;
  suggestion: string;
  /** In the layer that is laid over. */
  over: Trace;
  /** The value beneath it, if that is the fault. */
  under?: Trace;
}

export interface MergeRules {
  /** By which key the entries of the list at a path are the same; undefined: the list is replaced. */
  mergeKey(path: MergePath): string | undefined;
  /** Whether what is at a path is one thing, which replaces and is never joined. */
  whole(path: MergePath, value: unknown): boolean;
}

type Data = Readonly<Record<string, unknown>>;

/** Mark of a value that replaces instead of being merged: `{ $replace: VALUE }`. */
export const REPLACE = '$replace';

/** Names that reach into objects of the language. */
export const RESERVED_NAMES: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

/** Data of one layer, not merged yet. */
export const createLayer = (value: unknown, layer: number): MergedData => ({ value, trace: { layer, path: [] } });

/** The trace of what is at a path of merged data. */
export function traceAt(trace: Trace, path: MergePath): Trace {
  return path.reduce<Trace>((above, key) => above.inside?.get(key) ?? { layer: above.layer, path: [...above.path, key] }, trace);
}

/**
 * Merges data over other data: maps are merged, and lists are, too, if the rules give their entries a key. `null`
 * removes, and any other value replaces. Neither input is changed.
 */
export function merge(under: MergedData, over: MergedData, rules: MergeRules): { merged: MergedData; conflicts: Conflict[] } {
  const conflicts: Conflict[] = [];
  const merged = join(under, over, [], { rules, conflicts });
  return { merged, conflicts };
}

interface Around {
  rules: MergeRules;
  conflicts: Conflict[];
}

function join(under: MergedData, over: MergedData, path: MergePath, around: Around): MergedData {
  const { value } = over;
  if (isMap(value) && Object.keys(value).length === 1 && Object.hasOwn(value, REPLACE))
    return join({ value: undefined, trace: over.trace }, at(over, REPLACE), path, around);
  const whole = around.rules.whole(path, under.value) || around.rules.whole(path, value);
  if (whole) return over;
  if (isMap(value) && isMap(under.value)) return joinMaps(under, over, path, around);
  const key = around.rules.mergeKey(path);
  if (Array.isArray(value) && Array.isArray(under.value))
    return key === undefined ? over : joinLists(under, over, key, path, around);
  if ((isMap(value) && Array.isArray(under.value)) || (Array.isArray(value) && isMap(under.value))) {
    const [above, below] = Array.isArray(value) ? ['list', 'map'] : ['map', 'list'];
    const message = `a ${above} cannot be laid over a ${below}`;
    around.conflicts.push({ message, suggestion: `to replace it write { ${REPLACE}: … }`, over: over.trace, under: under.trace });
    return under;
  }
  return isMap(value) ? joinMaps({ value: {}, trace: over.trace }, over, path, around) : over;
}

function joinMaps(under: MergedData, over: MergedData, path: MergePath, around: Around): MergedData {
  const value = new Map<string, MergedData>();
  for (const key of Object.keys(under.value as Data)) value.set(key, at(under, key));
  for (const key of Object.keys(over.value as Data)) {
    const one = at(over, key);
    if (RESERVED_NAMES.has(key)) {
      around.conflicts.push({ message: `no key may be called "${key}"`, suggestion: 'give it another name', over: one.trace });
    } else if (one.value === null) value.delete(key);
    else {
      const below = value.get(key) ?? { value: undefined, trace: one.trace };
      value.set(key, join(below, one, [...path, key], around));
    }
  }
  const inside = new Map([...value].map(([key, one]) => [key, one.trace]));
  // The whole map has the place of its first declaration.
  return {
    value: Object.fromEntries([...value].map(([key, one]) => [key, one.value])),
    trace: { ...under.trace, inside },
  };
}

function joinLists(under: MergedData, over: MergedData, key: string, path: MergePath, around: Around): MergedData {
  const entries = entriesOf(under);
  for (const one of entriesOf(over)) {
    const name = nameOf(one.value, key);
    if (name === undefined) {
      const message = `an entry without "${key}" says nothing of where it belongs`;
      around.conflicts.push({ message, suggestion: `name it, or write { ${REPLACE}: … } for the whole list`, over: one.trace });
      continue;
    }
    const same = entries.flatMap((entry, index) => (nameOf(entry.value, key) === name ? [index] : []));
    const [index] = same;
    const below = index === undefined ? undefined : entries[index];
    if (same.length > 1) {
      const message = `several entries are called "${name}", and this could be about each of them`;
      const suggestion = `write { ${REPLACE}: … } for the whole list`;
      around.conflicts.push({ message, suggestion, over: one.trace, under: below?.trace });
    } else if (index === undefined || !below)
      entries.push(join({ value: undefined, trace: one.trace }, one, [...path, entries.length], around));
    // A name without fields adds nothing to the present entry.
    else if (typeof one.value !== 'string') entries[index] = join(mapOf(below, key), one, [...path, index], around);
  }
  return {
    value: entries.map(({ value }) => value),
    trace: { ...under.trace, inside: new Map(entries.map(({ trace }, index) => [index, trace])) },
  };
}

const isMap = (value: unknown): value is Data => typeof value === 'object' && value !== null && !Array.isArray(value);

const at = ({ value, trace }: MergedData, key: string | number): MergedData => ({
  value: (value as Record<string | number, unknown>)[key],
  trace: traceAt(trace, [key]),
});

const entriesOf = (list: MergedData): MergedData[] => (list.value as readonly unknown[]).map((_, index) => at(list, index));

/** Entries may be only their name. */
const nameOf = (entry: unknown, key: string): string | undefined => {
  const name = isMap(entry) && Object.hasOwn(entry, key) ? entry[key] : entry;
  return typeof name === 'string' ? name : undefined;
};

const mapOf = ({ value, trace }: MergedData, key: string): MergedData =>
  isMap(value) ? { value, trace } : { value: { [key]: value }, trace: { ...trace, inside: new Map([[key, trace]]) } };
