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

  /** Gives a place up while something is waited for, and answers once it has one again. */
  aside<T>(waiting: Promise<T>): Promise<T> {
    this.leave();
    const back = () => (this.take() ? undefined : this.turn());
    return waiting.finally(back);
  }

  /** Gives a place up: the next who waits has it. */
  leave(): void {
    const next = this.#waiting.shift();
    if (next) next();
    else this.#free++;
  }
}

type Activity = ((...args: never[]) => Promise<unknown>) & { executeWithOptions(...args: never[]): Promise<unknown> };

/** The same activities, each of which begins only when `go` says so, and when it has a place in the window. */
export function guardActivities<T extends { [name in keyof T]: Activity }>(
  activities: T,
  go: () => Promise<void>,
  window: Pick<Window, 'take' | 'turn' | 'run'>,
): T {
  const wrapped = Object.entries<Activity>(activities as Record<string, Activity>).map(([name, activity]) => {
    const begin = async (...args: never[]) => {
      await go();
      if (!window.take()) await window.turn();
      return window.run(() => activity(...args));
    };
    const executeWithOptions = async (...args: never[]) => {
      await go();
      if (!window.take()) await window.turn();
      return window.run(() => activity.executeWithOptions(...args));
    };
    return [name, Object.assign(begin, { executeWithOptions })];
  });
  return Object.fromEntries(wrapped) as T;
}
