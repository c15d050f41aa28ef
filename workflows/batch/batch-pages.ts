import { type BatchMark, MARK_OF } from '../../core/operation/batch.js';
import { isOver } from '../../core/operation/batch-ledger.js';
import { batchActivities } from './batch-activities.js';
import type { Books } from './batch-books.js';

/** The pages of a batch's operations, loaded as its window advances. */
export class BatchPages {
  readonly #books: Books;
  readonly #loaded = new Set<number>();

  constructor(books: Books) {
    this.#books = books;
  }

  /** The page that an operation is on, from 0. */
  of(index: number): number {
    return Math.floor(index / this.#books.request.pageSize);
  }

  async load(page: number): Promise<void> {
    const { request, ledger } = this.#books;
    const { pages, pageSize } = request;
    this.#loaded.add(page);
    ledger.load(page * pageSize, await batchActivities().readBatchPage({ page: pages[page] as string }));
  }

  /** Loads what is not over yet, as long as the ledger has room. */
  async loadMore(): Promise<void> {
    const { request, ledger } = this.#books;
    for (let page = 0; page < request.pages.length && ledger.hasRoom; page++)
      if (!this.#loaded.has(page) && !this.#isOver(page)) await this.load(page);
  }

  #isOver(page: number): boolean {
    const { request, ledger } = this.#books;
    const { pageSize } = request;
    return [...ledger.marks.slice(page * pageSize, (page + 1) * pageSize)].every((letter) => isOver(MARK_OF[letter] as BatchMark));
  }
}
