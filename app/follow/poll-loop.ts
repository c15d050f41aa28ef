import { addAbortListener } from 'node:events';
import { shareClock } from './shared-clock.js';

/** How often a subject is polled. */
export interface Pace {
  /** Before the first poll, in milliseconds. */
  firstMs: number;
  /** Between two polls, in milliseconds; as long as a poll took if that is longer. */
  everyMs: number;
  /**
   * Whether all loops of this process with this pace poll at the moments of one clock. So no subject is polled twice within
   * `everyMs`, also if its followers leave and others come. A joint query costs a third of a single one.
   */
  together?: boolean;
}

/** Polls a subject while it has followers: one poll for all of them. It is over when the last follower has left. */
export class PollLoop {
  readonly #poll: () => Promise<unknown>;
  readonly #pace: Pace;
  readonly #onOver: () => void;
  readonly #waiting = new Set<() => void>();
  #followers = 0;
  #begun = 0;
  #done = 0;
  #over = false;
  #failure: { error: unknown; number: number } | undefined;
  #nudged = false;
  #wake = () => {};

  /** @param onOver called once, when nothing is polled any more */
  constructor(poll: () => Promise<unknown>, pace: Pace, onOver: () => void = () => {}) {
    this.#poll = poll;
    this.#pace = pace;
    this.#onOver = onOver;
  }

  /** The number of polls that have begun. */
  get begun(): number {
    return this.#begun;
  }

  /** The number of the last poll that is done. */
  get done(): number {
    return this.#done;
  }

  /** Adds a follower. @returns removes it */
  join(): () => void {
    this.#followers++;
    if (this.#followers === 1 && !this.#over) void this.#run();
    return () => {
      this.#followers--;
      if (this.#followers === 0) this.#finish();
    };
  }

  /**
   * Waits until a poll is done that began after `number` polls. Throws what such a poll throws.
   *
   * @returns false: none will be, or `signal` is aborted
   */
  async past(number: number, signal?: AbortSignal): Promise<boolean> {
    while (this.#done <= number && !this.#over && !signal?.aborted) await this.#change(signal);
    if (signal?.aborted) return false;
    if (this.#done > number) return true;
    if (this.#failure && this.#failure.number > number) throw this.#failure.error;
    return false;
  }

  /** Polls at once instead of after the pause: for a subject that answers from now on without being asked. */
  nudge(): void {
    this.#nudged = true;
    this.#wake();
  }

  #finish(): void {
    if (this.#over) return;
    this.#over = true;
    this.#wake();
    this.#onOver();
    this.#tell();
  }

  async #run(): Promise<void> {
    await this.#pause(this.#pace.firstMs);
    while (!this.#over) {
      const began = performance.now();
      const number = ++this.#begun;
      try {
        await this.#poll();
      } catch (error) {
        this.#failure = { error, number };
        this.#finish();
        return;
      }
      this.#done = number;
      this.#tell();
      const took = performance.now() - began;
      if (!this.#over) await this.#pause(this.#pace.together ? took : Math.max(this.#pace.everyMs, took));
    }
  }

  /** Waits so long, and then for the moment of all if the loop polls together with others. */
  async #pause(ms: number): Promise<void> {
    await this.#sleep((go) => {
      const timer = setTimeout(go, ms);
      return () => clearTimeout(timer);
    });
    if (this.#pace.together) await this.#sleep((go) => shareClock(this.#pace.everyMs).next(go));
    this.#nudged = false;
  }

  /** @param begin calls its argument at the end, and returns what withdraws that */
  async #sleep(begin: (go: () => void) => () => void): Promise<void> {
    if (this.#nudged || this.#over) return;
    await new Promise<void>((resolve) => {
      const withdraw = begin(resolve);
      this.#wake = () => {
        withdraw();
        resolve();
      };
    });
  }

  /** Not a race with a promise that lives as long as the follower: each race would stay in memory until that settles. */
  #change(signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve) => {
      const settle = () => {
        this.#waiting.delete(settle);
        listening?.[Symbol.dispose]();
        resolve();
      };
      this.#waiting.add(settle);
      const listening = signal && addAbortListener(signal, settle);
    });
  }

  #tell(): void {
    for (const settle of [...this.#waiting]) settle();
  }
}
