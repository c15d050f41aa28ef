import { median } from '../measure.js';

/** Results of one run by name: seconds, unless the name says otherwise. */
export type Figures = Record<string, number>;

/** One run of each side, directly after each other. */
export interface Pair {
  former: Figures;
  present: Figures;
  /** Load averages of one minute, at the start of each. */
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
  /** Median of present / former within each pair: a busy moment slows both. */
  ratio: number;
}

const spreadOf = (values: number[]): Spread => ({ min: Math.min(...values), median: median(values), max: Math.max(...values) });

/** Returns a row for each figure, over the rounds that have it. */
export function rowsOf(pairs: readonly Pair[]): Row[] {
  const names = new Set(pairs.flatMap((pair) => Object.keys(pair.former)));
  return [...names].map((what) => {
    const having = pairs.filter(({ former, present }) => what in former && what in present);
    const of = (side: 'former' | 'present') => having.map((pair) => pair[side][what] as number);
    const [former, present] = [of('former'), of('present')];
    const ratios = present.map((value, at) => value / (former[at] as number));
    return { what, former: spreadOf(former), present: spreadOf(present), ratio: median(ratios) };
  });
}
