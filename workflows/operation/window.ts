/**
 * What one operation has at work at once, at most: Temporal holds 2,000 pending activities of a workflow and fails its
 * tasks beyond them; at 600 its turns begin to take too long.
 */
export const AT_WORK = 500;

/** Lets so many be at work at once; the others wait in the order in which they came. */
export class Window {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(most: number) {
    this.#free = most;
  }

  /** Takes a place where there is one at once: nothing is in another order than without it. */
  take(): boolean {
    if (this.#free === 0) return false;
    this.#free--;
    return true;
  }

  /** Waits for a place, which is taken when it answers. */
  turn(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  /** Begins what has a place, and gives that to the next when it has ended, however it does. */
  run<T>(begin: () => Promise<T>): Promise<T> {
    const running = begin();
    const leave = () => this.leave();
    running.then(leave, leave);
    return running;
  }

  /** Gives a place up: the next who waits has it. */
  leave(): void {
    const next = this.#waiting.shift();
    if (next) next();
    else this.#free++;
  }
}
