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
