import { quickHash, quickNumber } from '../encoding/hash.js';
import type { Progress } from './operation.js';

/** Consecutive items of one of progress's lists. */
export interface ProgressPart {
  /** Hash of its items: parts of the same name have the same items. */
  name: string;
  items: unknown[];
}

/** Input of the query `progressParts`: names of the caller's parts, with a space between, and its limit in bytes of JSON. */
export type PartsQuery = [has: string, most: number];

/** Answer of the query `progressParts`: parts that the caller lacks, as far as one answer may have them. */
export interface PartsAnswer {
  /** They come after the caller's parts. */
  parts: ProgressPart[];
  /** Absent if an answer cannot have everything: the caller must ask again. */
  whole?: {
    /** Progress as it is now, each of its lists empty. */
    head: Progress;
    /** Of which parts each list consists: from the first of so many, then from the first of so many more, and so on. */
    lists: Record<string, number[]>;
  };
}

/** Bytes of JSON that an answer has, about, unless more is asked for: half of what Temporal takes, also where nothing is compressed. One item may be larger. */
export const ANSWER_BYTES = 1024 * 1024;

/** Bytes of JSON after which a part ends in any case. */
const PART_BYTES = 64 * 1024;

/** Average number of items of a part. `cells` change a few at a time, so their parts have fewer. */
const ITEMS = 128;
const CELLS = 32;

/** A number that follows from an item, and the bytes of its JSON. */
interface Trait {
  number: number;
  bytes: number;
}

interface Cut {
  name: string;
  from: number;
  to: number;
  bytes: number;
}

/**
 * Selects the parts of progress that a caller lacks. The result depends only on both arguments, so another run,
 * another build or a replayed state gives the same answer.
 *
 * An item itself decides whether a part ends after it. An inserted item therefore changes only its own part.
 */
export function selectParts(progress: Progress, has: string, most = ANSWER_BYTES): PartsAnswer {
  const had = has === '' ? [] : has.split(' ');
  const places = new Map(had.map((name, index) => [name, index]));
  const parts: ProgressPart[] = [];
  let size = 0;
  const head: Record<string, unknown> = {};
  const lists: Record<string, number[]> = {};
  for (const [key, value] of Object.entries(progress)) {
    head[key] = Array.isArray(value) ? [] : value;
    if (!Array.isArray(value)) continue;
    const runs: number[] = [];
    for (const { name, from, to, bytes } of cutsOf(key, value)) {
      if (!places.has(name)) {
        if (parts.length > 0 && size + bytes > most) return { parts };
        places.set(name, had.length + parts.length);
        parts.push({ name, items: value.slice(from, to) });
        size += bytes;
      }
      addTo(runs, places.get(name) as number);
    }
    lists[key] = runs;
  }
  return { parts, whole: { head: head as unknown as Progress, lists } };
}

/** Says that a list goes on with this part. */
function addTo(runs: number[], place: number): void {
  const [first = 0, count = 0] = runs.slice(-2);
  if (runs.length > 0 && first + count === place) runs[runs.length - 1] = count + 1;
  else runs.push(place, 1);
}

/** A list, cut into parts. */
function cutsOf(key: string, items: readonly unknown[]): Cut[] {
  const traitOf = key === 'compensations' ? newTrait : knownTrait;
  const often = key === 'cells' ? CELLS : ITEMS;
  const cuts: Cut[] = [];
  let cut = { from: 0, high: 0, low: 0, bytes: 0 };
  items.forEach((item, index) => {
    const { number, bytes } = traitOf(item);
    cut.high = Math.imul(cut.high ^ Math.floor(number / 2 ** 32), 2_654_435_761);
    cut.low = Math.imul(cut.low ^ number, 1_597_334_677);
    cut.bytes += bytes;
    const to = index + 1;
    if (number % often !== 0 && cut.bytes < PART_BYTES && to < items.length) return;
    const { from, high, low } = cut;
    cuts.push({ name: quickHash(`${high} ${low} ${to - from}`), from, to, bytes: cut.bytes });
    cut = { from: to, high: 0, low: 0, bytes: 0 };
  });
  return cuts;
}

/** Traits of known items. Items of these lists are replaced, never modified. */
const known = new WeakMap<object, Trait>();

function knownTrait(item: unknown): Trait {
  if (typeof item !== 'object' || item === null) return newTrait(item);
  const trait = known.get(item) ?? newTrait(item);
  known.set(item, trait);
  return trait;
}

/** Compensations are modified in place. */
function newTrait(item: unknown): Trait {
  const text = JSON.stringify(item) ?? 'null';
  return { number: quickNumber(text), bytes: bytesOf(text) };
}

/** Bytes of a text in UTF-8, with the comma behind it. */
function bytesOf(text: string): number {
  let bytes = text.length + 1;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code >= 0x80) bytes += code >= 0x800 && (code < 0xd800 || code > 0xdfff) ? 2 : 1;
  }
  return bytes;
}
