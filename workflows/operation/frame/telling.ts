import { condition } from '@temporalio/workflow';

/**
 * Tells what was recorded, one telling at a time: what comes while something is being told is told with the next, so
 * that thousands of units send few large signals.
 */
export class Telling {
  readonly #tellAll: () => Promise<void>;
  /** What was told last, and did not fail before somebody heard of that. */
  #last: Promise<void> | undefined;
  #isOnTheWay = false;
  /** Ends once the next one has begun; fails where the one before it did not arrive. */
  #next: Promise<void> | undefined;
  #closed = false;

  /** @param tellAll tells all that was not told yet */
  constructor(tellAll: () => Promise<void>) {
    this.#tellAll = tellAll;
  }

  /**
   * Waits only for what was told before, and throws where that did not arrive. What was recorded now is in history
   * together with what is begun next, which saves a turn for each step: Temporal delivers it whoever dies.
   */
  async begun(): Promise<void> {
    const isBehind = this.#isOnTheWay;
    if (!isBehind) await this.arrived();
    const next = this.#begin();
    if (isBehind) await next;
  }

  /** Waits until what was recorded now has arrived, and throws where it did not. */
  async told(): Promise<void> {
    await this.#begin();
    await this.arrived();
  }

  /** Waits for what is on its way, and throws where it did not arrive. */
  async arrived(): Promise<void> {
    const last = this.#last;
    try {
      await last;
    } catch (error) {
      if (this.#last === last) this.#last = undefined;
      throw error;
    }
  }

  /** Waits until all that was recorded has arrived. */
  async allArrived(): Promise<void> {
    while (this.#next) await this.#next;
    await this.arrived();
  }

  /** Begins nothing more: what was not told is taken by whoever ends the operation. */
  close(): void {
    this.#closed = true;
  }

  #begin(): Promise<void> {
    this.#next ??= this.#beginNext().finally(() => {
      this.#next = undefined;
    });
    return this.#next;
  }

  async #beginNext(): Promise<void> {
    await this.arrived();
    // What else is recorded in this turn goes along; and where the operation ends in it, all of it goes with the end.
    await endOfTurn();
    if (this.#closed) return;
    this.#isOnTheWay = true;
    this.#last = this.#tellAll().finally(() => {
      this.#isOnTheWay = false;
    });
    // Whoever asks next hears of it.
    this.#last.catch(() => {});
  }
}

/** Conditions are looked at once all else of a turn was done. */
function endOfTurn(): Promise<void> {
  let looks = 0;
  return condition(() => looks++ > 0);
}
