/**
 * A JSON value in which whatever repeats is written once. `T` is what unpacks.
 *
 * `strings` are sorted and front-coded: how much of the one before goes before
 * each, in base 36 and a colon. `shapes` are the key lists of objects. `nodes`
 * are objects `[shape, …values]` and arrays `[-1, …values]`, children first;
 * in a value a number refers to a node, a negative one to a string (`-1` is the
 * first), and a number itself is written `[n]`.
 */
export interface Packed<T = unknown> {
  strings: string[];
  shapes: string[][];
  nodes: Written[][];
  root: Written;
  /** Never there: only for the type. */
  of?: T;
}

type Written = number | boolean | null | string | [number];

/** Strings shorter than this are cheaper written than referred to. */
const SHORT = 4;

/** Writes a JSON value in a form in which equal parts are there once. What JSON leaves out is left out. */
export function pack<T>(value: T): Packed<T> {
  const strings = new Map<string, number>();
  collect(value, strings);
  const sorted = [...strings.keys()].sort();
  sorted.forEach((text, index) => {
    strings.set(text, -1 - index);
  });
  const shapes: string[][] = [];
  const shapeOf = new Map<string, number>();
  const nodes: Written[][] = [];
  const nodeOf = new Map<string, number>();
  const seen = new Map<object, number>();

  const write = (item: unknown): Written => {
    if (typeof item === 'string') return item.length < SHORT ? item : (strings.get(item) as number);
    if (typeof item === 'number') return Number.isFinite(item) ? [item] : null;
    if (typeof item === 'boolean') return item;
    if (typeof item !== 'object' || item === null) return null;
    const known = seen.get(item);
    if (known !== undefined) return known;
    const node = Array.isArray(item) ? [-1, ...item.map(write)] : writeObject(item as Record<string, unknown>);
    const key = JSON.stringify(node);
    let index = nodeOf.get(key);
    if (index === undefined) {
      index = nodes.push(node) - 1;
      nodeOf.set(key, index);
    }
    seen.set(item, index);
    return index;
  };
  const writeObject = (item: Record<string, unknown>): Written[] => {
    const keys = Object.keys(item).filter((key) => item[key] !== undefined);
    const name = JSON.stringify(keys);
    let shape = shapeOf.get(name);
    if (shape === undefined) {
      shape = shapes.push(keys) - 1;
      shapeOf.set(name, shape);
    }
    return [shape, ...keys.map((key) => write(item[key]))];
  };
  const root = write(value);
  return { strings: frontCoded(sorted), shapes, nodes, root };
}

/** The value that was packed. Equal parts are one object: not to be modified. */
export function unpack<T>({ strings, shapes, nodes, root }: Packed<T>): T {
  const texts = plain(strings);
  const values: unknown[] = [];
  const read = (item: Written): unknown => {
    if (typeof item === 'number') return item < 0 ? texts[-1 - item] : values[item];
    return Array.isArray(item) ? item[0] : item;
  };
  for (const [shape, ...rest] of nodes) {
    if (shape === -1) values.push(rest.map(read));
    else values.push(objectOf(shapes[shape as number] as string[], rest.map(read)));
  }
  return read(root) as T;
}

function objectOf(keys: string[], values: unknown[]): object {
  const made: Record<string, unknown> = {};
  keys.forEach((key, index) => {
    // A plain assignment to this name would set the prototype.
    if (key === '__proto__')
      Object.defineProperty(made, key, { value: values[index], enumerable: true, configurable: true, writable: true });
    else made[key] = values[index];
  });
  return made;
}

function collect(item: unknown, into: Map<string, number>, seen = new Set<object>()): void {
  if (typeof item === 'string') {
    if (item.length >= SHORT) into.set(item, 0);
  } else if (typeof item === 'object' && item !== null && !seen.has(item)) {
    seen.add(item);
    for (const inner of Array.isArray(item) ? item : Object.values(item)) collect(inner, into, seen);
  }
}

function frontCoded(sorted: string[]): string[] {
  return sorted.map((text, index) => {
    const before = sorted[index - 1] ?? '';
    let shared = 0;
    while (shared < text.length && text[shared] === before[shared]) shared++;
    return `${shared === 0 ? '' : shared.toString(36)}:${text.slice(shared)}`;
  });
}

function plain(coded: string[]): string[] {
  let before = '';
  return coded.map((text) => {
    const at = text.indexOf(':');
    before = before.slice(0, at === 0 ? 0 : Number.parseInt(text.slice(0, at), 36)) + text.slice(at + 1);
    return before;
  });
}

/** A value as it is, or packed where that is worth it. */
export type MaybePacked<T> = T | { packed: Packed<T> };

export const opened = <T extends object>(value: MaybePacked<T>): T => ('packed' in value ? unpack(value.packed) : value);
