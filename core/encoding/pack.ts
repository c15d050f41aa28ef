import { readDigits, writeDigits } from './digits.js';

/**
 * A JSON value in which each repeated part is written once. `T` is the type of the unpacked value.
 *
 * `strings` are sorted and front-coded: each begins with the length of the prefix that it shares with the one before,
 * in base 36, and a colon. `shapes` are the lists of keys of objects. `nodes` are numbers (core/encoding/digits.ts).
 * An object has its shape + 1 and its values, an array has 0, its length and its values. Inner values come before
 * outer ones, and the value itself is last. A value is four times a number plus the kind of the value.
 */
export interface PackedValue<T = unknown> {
  strings: string[];
  shapes: string[][];
  nodes: string;
  /** Never there: only for the type. */
  of?: T;
}

const KINDS = 4;
const NODE = 0;
const STRING = 1;
/** A whole number from 0 on, as it is. */
const WHOLE = 2;
/** One of the first three, or any other number: the text of which is among the strings. */
const OTHER = 3;
const CONSTANTS = [null, true, false];
const LARGEST = 2 ** 48;

const isWhole = (item: number) => Number.isInteger(item) && item >= 0 && item < LARGEST && !Object.is(item, -0);
const isOther = (item: unknown): item is number => typeof item === 'number' && Number.isFinite(item) && !isWhole(item);

/** Writes a JSON value in a form in which equal parts exist once. Parts that JSON omits are omitted. */
export function pack<T>(value: T): PackedValue<T> {
  const strings = new Map<string, number>();
  collect(value, strings, new Set());
  const sorted = [...strings.keys()].sort();
  sorted.forEach((text, index) => {
    strings.set(text, index);
  });
  const shapes = new Map<string, number>();
  const nodes = new Map<string, number>();
  const seen = new Map<object, number>();
  const numberOf = (table: Map<string, number>, key: string): number => {
    const known = table.get(key);
    if (known !== undefined) return known;
    table.set(key, table.size);
    return table.size - 1;
  };

  const write = (item: unknown): string => writeDigits(codeOf(item));
  const codeOf = (item: unknown): number => {
    if (typeof item === 'string') return KINDS * (strings.get(item) as number) + STRING;
    if (typeof item === 'object' && item !== null) return KINDS * nodeOf(item) + NODE;
    if (isOther(item)) return KINDS * (CONSTANTS.length + (strings.get(JSON.stringify(item)) as number)) + OTHER;
    if (typeof item === 'number' && isWhole(item)) return KINDS * item + WHOLE;
    return KINDS * Math.max(0, CONSTANTS.indexOf(item as boolean)) + OTHER;
  };
  const nodeOf = (item: object): number => {
    const known = seen.get(item);
    if (known !== undefined) return known;
    const index = numberOf(nodes, Array.isArray(item) ? arrayNode(item) : objectNode(item as Record<string, unknown>));
    seen.set(item, index);
    return index;
  };
  const arrayNode = (item: unknown[]) => [writeDigits(0), writeDigits(item.length), ...item.map(write)].join('');
  const objectNode = (item: Record<string, unknown>) => {
    const keys = Object.keys(item).filter((key) => item[key] !== undefined);
    return [writeDigits(numberOf(shapes, JSON.stringify(keys)) + 1), ...keys.map((key) => write(item[key]))].join('');
  };
  const root = write(value);
  return {
    strings: frontCoded(sorted),
    shapes: [...shapes.keys()].map((keys) => JSON.parse(keys) as string[]),
    nodes: [...nodes.keys(), root].join(''),
  };
}

/** The value that was packed. Equal parts are one object: not to be modified. */
export function unpack<T>({ strings, shapes, nodes }: PackedValue<T>): T {
  const texts = plain(strings);
  const values: unknown[] = [];
  const next = readDigits(nodes);
  const read = (): unknown => {
    const code = next();
    const [kind, rest] = [code % KINDS, Math.floor(code / KINDS)];
    if (kind === NODE) return values[rest];
    if (kind === STRING) return texts[rest];
    if (kind === WHOLE) return rest;
    return rest < CONSTANTS.length ? CONSTANTS[rest] : Number(texts[rest - CONSTANTS.length]);
  };
  // Everything is a node but, where nothing is inside, the value itself.
  while (!next.isLast()) {
    const shape = next();
    if (shape === 0) values.push(Array.from({ length: next() }, read));
    else values.push(objectOf(shapes[shape - 1] as string[], read));
  }
  return read() as T;
}

/** A value as it is, or packed where that is worth it. */
export type Packable<T> = T | { packed: PackedValue<T> };

export const unpackIfPacked = <T extends object>(value: Packable<T>): T => ('packed' in value ? unpack(value.packed) : value);

function objectOf(keys: string[], read: () => unknown): object {
  const made: Record<string, unknown> = {};
  for (const key of keys) {
    const value = read();
    // A plain assignment to this name would set the prototype.
    if (key === '__proto__') Object.defineProperty(made, key, { value, enumerable: true, configurable: true, writable: true });
    else made[key] = value;
  }
  return made;
}

function collect(item: unknown, into: Map<string, number>, seen: Set<object>): void {
  if (typeof item === 'string') into.set(item, 0);
  else if (isOther(item)) into.set(JSON.stringify(item), 0);
  else if (typeof item === 'object' && item !== null && !seen.has(item)) {
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
