/** Times in milliseconds have fractions, which sums do not keep exactly. */
const FRACTION_MS = 0.001;

/**
 * Moments that all who wait for the next one share, at least `everyMs` milliseconds apart. It stands still while none waits, and
 * remembers its last moment: whoever comes and goes, two moments are never closer.
 */
export class SharedClock {
  readonly #everyMs: number;
  readonly #waiting = new Set<() => void>();
  /** By `performance.now`. */
  #last = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;

  constructor(everyMs: number) {
    this.#everyMs = everyMs;
  }

  /** Calls `go` once, at the next moment. @returns withdraws it */
  next(go: () => void): () => void {
    this.#waiting.add(go);
    this.#timer ??= this.#wind();
    return () => {
      this.#waiting.delete(go);
      if (this.#waiting.size > 0) return;
      clearTimeout(this.#timer);
      this.#timer = undefined;
    };
  }

  #wind(): NodeJS.Timeout {
    const left = this.#last + this.#everyMs - performance.now();
    return setTimeout(() => this.#strike(), Math.max(0, Math.ceil(left - FRACTION_MS)));
  }

  #strike(): void {
    // A timer may be early by a part of a millisecond.
    if (performance.now() + FRACTION_MS < this.#last + this.#everyMs) {
      this.#timer = this.#wind();
      return;
    }
    this.#timer = undefined;
    this.#last = performance.now();
    const all = [...this.#waiting];
    this.#waiting.clear();
    for (const go of all) go();
  }
}

const clocks = new Map<number, SharedClock>();

/** Returns the clock of this process for a pace in milliseconds. */
export function shareClock(everyMs: number): SharedClock {
  const clock = clocks.get(everyMs) ?? new SharedClock(everyMs);
  clocks.set(everyMs, clock);
  return clock;
}
