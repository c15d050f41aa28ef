import { createHash } from 'node:crypto';

/** Test file with the state of its proof. */
export interface Candidate {
  file: string;
  /** Reason why it is stale; undefined if its proof holds. */
  stale?: string;
  /** Time of its proof; undefined if it was never proven. */
  on?: string;
  /** Duration in seconds; an estimate for a file that was never played. */
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
  /** Total seconds of stale files, on all lanes. */
  budget: number;
  /** Total seconds of files that are played again although their proofs hold. */
  againBudget: number;
  /** Seed for drawing newly proven files: the commit. */
  draw: string;
  /** Files with new proofs: those of the change. */
  renewed: ReadonlySet<string>;
}

/** Number of valid proofs to play again: the oldest, and some that the change renewed. */
const OLDEST = 2;
const RENEWED = 3;

/**
 * Chooses the files of a run: the sentinels, stale files within the budget (longest first), and a few files with valid
 * proofs. The last group detects proofs that hold because an input is missing, and proofs that were written by hand.
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

/**
 * Chooses the files of a full run: all, except some whose proofs hold.
 *
 * @param mayRest whether a file is left out if its proof holds: one about services
 */
export function chooseAll(all: readonly Candidate[], mayRest: (file: string) => boolean): Choice {
  const fresh = all.filter(({ file, stale }) => mayRest(file) && stale === undefined);
  const whole = all.filter((one) => !fresh.includes(one)).map(({ file }) => file);
  return { whole, inPart: [], left: [], fresh };
}

/**
 * Takes as many as fit, in order. The first is always taken, so that long files have their turn. A budget of zero
 * takes none.
 */
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
