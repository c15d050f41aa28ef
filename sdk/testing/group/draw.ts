/** Draws values by a seed: the same seed draws the same ones. */
export interface Draw {
  /** From 0 to below `count`. */
  below(count: number): number;
  /** Undefined for an empty list. */
  one<T>(of: readonly T[]): T | undefined;
  /** @param share of 1 */
  happens(share: number): boolean;
}

/** Creates a generator (mulberry32). */
export function createDraw(seed: number): Draw {
  let state = Math.imul(seed + 1, 0x9e3779b1) >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (count: number) => Math.floor(next() * count);
  return { below, one: (of) => of[below(of.length)], happens: (share) => next() < share };
}
