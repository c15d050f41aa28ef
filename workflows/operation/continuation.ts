import { workflowInfo } from '@temporalio/workflow';
import { readWorkflowsVersion } from '../../core/engine/workflows-version.js';
import { CONTINUE_AFTER } from '../../core/operation/history-size.js';
import { NotBegun } from './failures.js';

/** Bytes of history after which it does so; Temporal terminates at 50 MiB. */
const CONTINUE_AFTER_BYTES = 20 * 1024 * 1024;

/** The version of workflows since which operations go on in new runs. */
const CONTINUED_SINCE = 2;

/** It had not begun when the run was to end: the next run of the operation does it. */
export class LeftToNextRun extends NotBegun {
  override readonly name = 'LeftToNextRun';
}

/** When the run of an operation begins nothing more, and what of the operation's work no run needs to begin again. */
export class Continuation {
  /** Whether it goes on with what a former run began. */
  readonly resumed: boolean;
  readonly #done: Set<string>;
  readonly #after: number;
  readonly #begun: () => void;
  #ending = false;

  /**
   * @param after events of history
   * @param begun called once the run begins to end
   * @param done what former runs settled; absent in the first
   */
  constructor(after: number = CONTINUE_AFTER, begun: () => void = () => {}, done?: readonly string[]) {
    this.#begun = begun;
    this.resumed = done !== undefined;
    this.#done = new Set(done);
    this.#after = after;
  }

  /** Whether nothing new is begun in this run any more. */
  get ending(): boolean {
    if (this.#ending) return true;
    const { historyLength, historySize, memo } = workflowInfo();
    if (historyLength <= this.#after && historySize <= CONTINUE_AFTER_BYTES) return false;
    // A former version goes on in one run for as long as that lasts.
    this.#ending = readWorkflowsVersion(memo) >= CONTINUED_SINCE;
    if (this.#ending) this.#begun();
    return this.#ending;
  }

  /** Settled parts, of any run. */
  get done(): readonly string[] {
    return [...this.#done];
  }

  has(thing: string): boolean {
    return this.#done.has(thing);
  }

  settle(thing: string): void {
    this.#done.add(thing);
  }

  /** All is decided again: what is done needs no more steps then. */
  clear(): void {
    this.#done.clear();
  }

  /** @throws LeftToNextRun where nothing new is begun in this run */
  leaveToNextRun(): void {
    if (this.ending) throw new LeftToNextRun('the next run begins it');
  }

  /** Does a thing once in all runs of the operation: again where it failed or was left to the next. */
  async once(thing: string, work: () => Promise<void>): Promise<void> {
    if (this.#done.has(thing)) return;
    await work();
    this.#done.add(thing);
  }
}
