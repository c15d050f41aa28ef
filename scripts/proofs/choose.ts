import { createHash } from 'node:crypto';

/** A test file and the state of its proof. */
export interface Candidate {
  file: string;
  /** Undefined if its proof holds. */
  stale?: string;
  /** When it was proven; undefined if never. */
  on?: string;
  /** How long it takes; of one that was never played, a guess. */
  seconds: number;
}

export interface Choice {
  /** Played whole. */
  whole: string[];
  /** Played in part. */
  inPart: string[];
  /** Stale, and not within the budget. */
  left: Candidate[];
  /** Proven before, and not played. */
  fresh: Candidate[];
}

export interface Rules {
  sentinels: readonly string[];
  inPart: readonly string[];
  /** Seconds that stale files take together, on all lanes. */
  budget: number;
  /** Seconds that files take together that are played again although their proofs hold. */
  againBudget: number;
  /** What decides which of the newly proven are played again: the commit. */
  draw: string;
  /** Files whose proofs are new: those of the change. */
  renewed: ReadonlySet<string>;
}

/** How many proofs that hold are played again: the oldest, and some of those that the change brought. */
const OLDEST = 2;
const RENEWED = 3;

/**
 * What a run plays: the sentinels, what is stale as far as the budget goes, the longest first, and a few files whose
 * proofs hold. A proof that holds by a hole in its inputs, and one that was written by hand, are found by the latter.
 */
export function choose(all: readonly Candidate[], rules: Rules): Choice {
  const { sentinels, inPart, budget, againBudget, draw, renewed } = rules;
  const isSentinel = ({ file }: Candidate) => sentinels.includes(file);
  const stale = all.filter((one) => one.stale !== undefined && !isSentinel(one)).sort((a, b) => b.seconds - a.seconds);
  const taken = within(stale, budget);
  const holding = all.filter((one) => one.stale === undefined && !isSentinel(one) && !inPart.includes(one.file));
  const byAge = [...holding].sort((a, b) => compare(a.on ?? '', b.on ?? '') || compare(a.file, b.file));
  const oldest = within(byAge, againBudget / 2, OLDEST);
  const drawn = holding
    .filter((one) => renewed.has(one.file) && !oldest.includes(one))
    .sort((a, b) => compare(lot(draw, a), lot(draw, b)));
  const again = [...oldest, ...within(drawn, againBudget / 2, RENEWED)];
  const whole = new Set([...all.filter(isSentinel), ...taken, ...again].map(({ file }) => file));
  return {
    whole: [...whole],
    inPart: all.filter(({ file }) => inPart.includes(file) && !whole.has(file)).map(({ file }) => file),
    left: stale.filter((one) => !taken.includes(one)),
    fresh: holding.filter(({ file }) => !whole.has(file)),
  };
}

/** As many as fit, in their order; the first in any case, so that a long one has its turn. Of no budget, none. */
function within(ordered: readonly Candidate[], budget: number, most = ordered.length): Candidate[] {
  const taken: Candidate[] = [];
  let seconds = 0;
  for (const one of ordered) {
    if (taken.length === most) break;
    if (seconds + one.seconds > budget && (taken.length > 0 || budget === 0)) continue;
    taken.push(one);
    seconds += one.seconds;
  }
  return taken;
}

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);

const lot = (draw: string, { file }: Candidate) => createHash('sha256').update(`${draw} ${file}`).digest('hex');
