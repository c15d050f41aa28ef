/**
 * Difference between two JSON values. It is a new value, or for an object the changed keys and, if they differ, all
 * keys in order. For a list it is the number of unchanged items at both ends and the items between them: their
 * differences if their number is the same, otherwise the new items.
 */
export type Difference =
  | { is: unknown }
  | { of: [key: string, difference: Difference][]; keys?: string[] }
  | { first: number; last: number; each: (Difference | null)[] }
  | { first: number; last: number; items: unknown[] };

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;
/** Those that JSON writes. */
const keysOf = (value: object): string[] => Object.entries(value).flatMap(([key, item]) => (item === undefined ? [] : [key]));

/** Returns the difference between two values. Undefined if they are equal. Identical objects are not compared. */
export function diffValues(before: unknown, now: unknown): Difference | undefined {
  if (Object.is(before, now)) return undefined;
  if (Array.isArray(before) && Array.isArray(now)) return ofLists(before, now);
  const alike = isObject(before) && isObject(now) && !Array.isArray(before) && !Array.isArray(now);
  return alike ? ofObjects(before, now) : { is: now };
}

function ofObjects(before: Record<string, unknown>, now: Record<string, unknown>): Difference | undefined {
  const keys = keysOf(now);
  const had = new Set(keysOf(before));
  const of = keys.flatMap((key): [string, Difference][] => {
    const difference = had.has(key) ? diffValues(before[key], now[key]) : { is: now[key] };
    return difference ? [[key, difference]] : [];
  });
  const isSame = keys.length === had.size && [...had].every((key, index) => key === keys[index]);
  if (isSame) return of.length > 0 ? { of } : undefined;
  return { of, keys };
}

function ofLists(before: unknown[], now: unknown[]): Difference | undefined {
  const least = Math.min(before.length, now.length);
  let first = 0;
  while (first < least && !diffValues(before[first], now[first])) first++;
  if (first === before.length && first === now.length) return undefined;
  let last = 0;
  while (last < least - first && !diffValues(before[before.length - 1 - last], now[now.length - 1 - last])) last++;
  const items = now.slice(first, now.length - last);
  if (before.length !== now.length) return { first, last, items };
  return { first, last, each: items.map((item, index) => diffValues(before[first + index], item) ?? null) };
}

/** Applies a difference to a value, which is not modified. Equal parts are the same objects in both values. */
export function applyDifference(before: unknown, difference: Difference): unknown {
  if ('is' in difference) return difference.is;
  if ('of' in difference) {
    const had = before as Record<string, unknown>;
    const changed = new Map(difference.of);
    const keys = difference.keys ?? keysOf(had);
    const itemAt = (key: string) => {
      const change = changed.get(key);
      return change ? applyDifference(had[key], change) : had[key];
    };
    // Any key may come, and none of them is a prototype.
    return Object.fromEntries(keys.map((key) => [key, itemAt(key)]));
  }
  const { first, last } = difference;
  const list = before as unknown[];
  const between =
    'items' in difference
      ? difference.items
      : difference.each.map((one, index) => (one ? applyDifference(list[first + index], one) : list[first + index]));
  return [...list.slice(0, first), ...between, ...list.slice(list.length - last)];
}
