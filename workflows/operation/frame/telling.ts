import { condition } from '@temporalio/workflow';

/**
 * How long news waits for more of it, in milliseconds. A signal for each step would take a turn of the operation and one
 * of the infra, each of which has to be synced to the disk, while the next step waits for a processor.
 */
const PACE_MS = 500;

/** Tells what was recorded, one telling at a time, so that thousands of units send few signals. */
export class Telling {
  readonly #tellAll: () => Promise<void>;
  /** What was told last. Its failure is kept until somebody hears of it. */
  #last: Promise<void> = Promise.resolve();
  #failure: { error: unknown } | undefined;
  #isOnTheWay = false;
  /** Ends once the next one has begun. */
  #next: Promise<void> | undefined;
  #isUrgent = false;
  #closed = false;

  /** @param tellAll tells all that was not told yet */
  constructor(tellAll: () => Promise<void>) {
    this.#tellAll = tellAll;
  }

  /**
   * What was recorded now is told soon: it is in the operation's own history, which goes on whoever dies.
   *
   * @throws what kept something told before from arriving
   */
  async soon(): Promise<void> {
    if (!this.#isOnTheWay) await this.arrived();
    this.#begin(false);
  }

  /**
   * Waits only for what was told before, and throws where that did not arrive. What was recorded now is in history
   * together with what is begun next, which saves a turn for each step: Temporal delivers it whoever dies.
   */
  async begun(): Promise<void> {
    const isBehind = this.#isOnTheWay;
    if (!isBehind) await this.arrived();
    const next = this.#begin(true);
    if (isBehind) await next;
  }

  /** Waits until what was recorded now has arrived, and throws where it did not. */
  async told(): Promise<void> {
    await this.#begin(true);
    await this.arrived();
  }

  /** Waits for what is on its way, and throws where it did not arrive. */
  async arrived(): Promise<void> {
    await this.#last;
    const failure = this.#failure;
    this.#failure = undefined;
    if (failure) throw failure.error;
  }

  /** Waits until all that was recorded has arrived. */
  async allArrived(): Promise<void> {
    while (this.#next) await this.#begin(true);
    await this.arrived();
  }

  /** Begins nothing more: what was not told is taken by whoever ends the operation. */
  close(): void {
    this.#closed = true;
  }

  #begin(isUrgent: boolean): Promise<void> {
    this.#isUrgent ||= isUrgent;
    this.#next ??= this.#beginNext().finally(() => {
      this.#next = undefined;
      this.#isUrgent = false;
    });
    return this.#next;
  }

  /** Never fails: what does not arrive is heard of by whoever waits for that. */
  async #beginNext(): Promise<void> {
    await condition(() => this.#isUrgent || this.#closed, PACE_MS);
    await this.#last;
    // What else is recorded in this turn goes along; and where the operation ends in it, all of it goes with the end.
    await endOfTurn();
    if (this.#closed || this.#failure) return;
    this.#isOnTheWay = true;
    this.#last = this.#tellAll()
      .catch((error: unknown) => {
        this.#failure = { error };
      })
      .finally(() => {
        this.#isOnTheWay = false;
      });
  }
}

/** Conditions are looked at once all else of a turn was done. */
function endOfTurn(): Promise<void> {
  let looks = 0;
  return condition(() => looks++ > 0);
}
