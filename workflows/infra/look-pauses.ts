/** Operations of less than this are never looked at. The pace of all looks. */
const SETTLE_MS = 2_000;
/** How long one look lasts if an operation waits: this, then twice as long each time, up to the last; in paces. */
const FIRST_LOOK = 4;
const LONGEST_LOOK = 32;
/** Pause between looks if no operation waits, in paces. */
const LONGEST_PAUSE = 8;
/** Looks without news after which looks become long. */
const NEAR_LOOKS = 4;
/** The first long look; each further one lasts four times as long, up to the longest: twelve hours. In paces. */
const FIRST_LONG = 32;
const LONGEST_LONG = 21_600;
/** How long an operation that a long look does not cover may hold locks, in paces. */
const GRACE = 32;

/** How long a look may be late, in milliseconds. */
export const LATE_MS = 5 * 60_000;

/** How long looks at lock holders last, and the pauses between them. Pure. */
export interface LookPauses {
  /** The pause before the next look, in milliseconds. */
  readonly pause: number;
  /** Whether so many looks had no news that the next one is long. */
  readonly areSpent: boolean;
  /** How long an operation that a long look does not cover may hold locks, in milliseconds. */
  readonly graceMs: number;
  /** Other operations have to be looked at: begins again with the first pause. */
  begin(): void;
  /** A look found news: the next looks are short. */
  foundNews(): void;
  /** A short look at these. @returns how long it lasts, in milliseconds; 0: it looks once */
  next(somebodyWaits: boolean, operations: readonly string[]): number;
  /** A long look. @returns how long it lasts, in milliseconds */
  nextLong(): number;
}

/** @param paceMs the first pause, in milliseconds; tests make it shorter, and with it a whole day */
export function lookPauses(paceMs: number = SETTLE_MS): LookPauses {
  let pause = paceMs;
  let forMs = FIRST_LOOK * paceMs;
  let last = '';
  let calm = 0;
  return {
    graceMs: GRACE * paceMs,
    get pause() {
      return pause;
    },
    get areSpent() {
      return calm >= NEAR_LOOKS;
    },
    begin() {
      pause = paceMs;
      calm = 0;
    },
    foundNews() {
      calm = 0;
    },
    next(somebodyWaits, operations) {
      calm++;
      // The longer the same ones are at it, the less often it is worth asking again.
      forMs = operations.join() === last ? Math.min(2 * forMs, LONGEST_LOOK * paceMs) : FIRST_LOOK * paceMs;
      last = operations.join();
      pause = somebodyWaits ? paceMs : Math.min(2 * pause, LONGEST_PAUSE * paceMs);
      return somebodyWaits ? forMs : 0;
    },
    nextLong() {
      pause = paceMs;
      return Math.min(FIRST_LONG * 4 ** (calm++ - NEAR_LOOKS), LONGEST_LONG) * paceMs;
    },
  };
}
