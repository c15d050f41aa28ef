import { median } from '../measure.js';

/** What one run found, by what was measured: seconds, unless the name says otherwise. */
export type Figures = Record<string, number>;

/** One run each of the former and of the present state, one right after the other. */
export interface Pair {
  former: Figures;
  present: Figures;
  /** Load averages of one minute, at the beginning of each. */
  load: { former: number; present: number };
}

export interface Spread {
  min: number;
  median: number;
  max: number;
}

export interface Row {
  what: string;
  former: Spread;
  present: Spread;
  /** Median of present / former within each pair: what a busy moment slows down is slowed in both. */
  ratio: number;
}

const spreadOf = (values: number[]): Spread => ({ min: Math.min(...values), median: median(values), max: Math.max(...values) });

/** A row for each figure that all runs have. */
export function rowsOf(pairs: readonly Pair[]): Row[] {
  const names = Object.keys(pairs[0]?.former ?? {});
  return names.map((what) => {
    const of = (side: 'former' | 'present') => pairs.map((pair) => pair[side][what] as number);
    const [former, present] = [of('former'), of('present')];
    const ratios = present.map((value, at) => value / (former[at] as number));
    return { what, former: spreadOf(former), present: spreadOf(present), ratio: median(ratios) };
  });
}
