import { sleep, workflowInfo } from '@temporalio/workflow';
import { describeFailure } from '../operation/failures.js';
import { batchActivities } from './batch-activities.js';
import type { Books } from './batch-books.js';

/** Operations that one activity starts. */
export const STARTED_AT_ONCE = 100;
/** Activities that start operations, at once. */
const STARTERS = 2;
/** How long a few free places wait for more. */
const HOLD_MS = 300;

/** Starts operations of a batch, many by one activity. */
export class Starters {
  readonly #books: Books;
  /** Fewer than this are held back for a moment: starting many costs little more than starting one. */
  readonly #many: number;
  /** Whether a few places are kept free for more. */
  #held: 'waiting' | 'over' | undefined;
  #busy = 0;

  constructor(books: Books) {
    this.#books = books;
    this.#many = Math.min(25, Math.ceil(books.state.parallel / 20));
  }

  get idle(): boolean {
    return this.#busy === 0;
  }

  /** Starts what is chosen, as long as there is something to choose. Not waited for: the books say what became of it. */
  begin(choose: () => number[]): void {
    while (this.#busy < STARTERS) {
      const chosen = choose();
      if (chosen.length === 0 || (chosen.length < this.#many && !this.#waitedEnough())) break;
      this.#held = undefined;
      void this.#start(chosen);
    }
  }

  #waitedEnough(): boolean {
    const books = this.#books;
    if (this.#held === undefined && books.ledger.count('running') > 0) {
      this.#held = 'waiting';
      void sleep(HOLD_MS).then(() => {
        this.#held = 'over';
        books.version++;
      });
    }
    return this.#held !== 'waiting';
  }

  async #start(indices: number[]): Promise<void> {
    const books = this.#books;
    const { request, ledger } = books;
    this.#busy++;
    for (const index of indices) {
      books.takeGranted(index);
      ledger.set(index, 'running');
    }
    try {
      const starts = indices.map((index) => ({ index, generation: books.generationOf(index) }));
      const { pages, stages: _, continueAfter: __, operations: ___, ...batch } = request;
      const { pageSize } = request;
      const used = [...new Set(indices.map((index) => Math.floor(index / pageSize)))];
      const answer = await batchActivities().startBatchOperations({
        batch: { ...batch, submitted: workflowInfo().startTime.toISOString() },
        pageSize,
        pages: Object.fromEntries(used.map((page) => [page, pages[page] as string])),
        starts,
      });
      for (const index of answer.waiting) if (ledger.mark(index) === 'running') ledger.set(index, 'asking');
    } catch (error) {
      const { why } = describeFailure(error, { step: 'Start the operation', on: request.id });
      for (const index of indices) books.settle({ index, operation: books.idOf(index), status: 'failed', why });
    }
    this.#busy--;
    books.version++;
  }
}
