import type { BatchOperation } from '../schema/batch-request.js';
import { type BatchMark, type Indices, MARK_OF, MARKS } from './batch.js';

/** Loaded operations that are not over, at most; what is ready beyond them waits for its page. */
const WINDOW = 1_500;

/** The books of a batch: how each operation stands, and which may be begun. Pure; its marks survive as a string. */
export class BatchLedger {
  readonly #marks: string[];
  readonly #open = new Map<number, BatchOperation>();
  readonly #counts = new Map<BatchMark, number>();
  readonly #running = new Map<string, number>();
  /** All before it are over. */
  #lowest = 0;
  #bad: number[] = [];
  readonly #again = new Set<number>();

  constructor(marks: string) {
    this.#marks = [...marks];
    this.#marks.forEach((letter, index) => {
      const mark = MARK_OF[letter] as BatchMark;
      this.#counts.set(mark, this.count(mark) + 1);
      if (isBad(mark)) this.#bad.push(index);
    });
  }

  get marks(): string {
    return this.#marks.join('');
  }

  mark(index: number): BatchMark {
    return MARK_OF[this.#marks[index] as string] as BatchMark;
  }

  count(...marks: BatchMark[]): number {
    return marks.reduce((sum, mark) => sum + (this.#counts.get(mark) ?? 0), 0);
  }

  /** Operations of this account that are at work. */
  onAccount(account: string): number {
    return this.#running.get(account) ?? 0;
  }

  operation(index: number): BatchOperation | undefined {
    return this.#open.get(index);
  }

  /** Whether another page has room. */
  get hasRoom(): boolean {
    return this.#open.size < WINDOW;
  }

  load(first: number, operations: readonly BatchOperation[]): void {
    operations.forEach((operation, offset) => {
      const index = first + offset;
      if (isOver(this.mark(index))) return;
      this.#open.set(index, operation);
      this.#again.delete(index);
      if (atWork(this.mark(index))) this.#occupy(operation, 1);
    });
  }

  set(index: number, mark: BatchMark): void {
    const before = this.mark(index);
    if (before === mark) return;
    const operation = this.#open.get(index);
    if (operation && atWork(before) !== atWork(mark)) this.#occupy(operation, atWork(mark) ? 1 : -1);
    this.#marks[index] = MARKS[mark];
    this.#counts.set(before, this.count(before) - 1);
    this.#counts.set(mark, this.count(mark) + 1);
    if (isBad(before) && !isBad(mark)) this.#bad = this.#bad.filter((one) => one !== index);
    if (isBad(mark) && !isBad(before)) this.#bad.push(index);
    if (isOver(mark)) this.#open.delete(index);
    if (isOver(before) && mark === 'waiting') this.#again.add(index);
    if (!isOver(mark)) this.#lowest = Math.min(this.#lowest, index);
  }

  /** All of these marks, loaded or not, in order. */
  indices(...marks: BatchMark[]): number[] {
    const letters = marks.map((mark) => MARKS[mark]);
    return this.#marks.flatMap((letter, index) => (letters.includes(letter) ? [index] : []));
  }

  /** Index of the first operation with a mark; -1 without one. */
  first(mark: BatchMark): number {
    return this.#marks.indexOf(MARKS[mark]);
  }

  /** Waiting operations that were loaded and then failed. Their page must be read again. */
  retried(): number[] {
    return [...this.#again].filter((index) => !this.#open.has(index));
  }

  /** Cancels operations that have not begun. */
  cancelWaiting(): void {
    for (const index of this.indices('waiting')) this.set(index, 'canceled');
  }

  /** Loaded operations of this mark, in order. */
  having(...marks: BatchMark[]): number[] {
    return [...this.#open.keys()].filter((index) => marks.includes(this.mark(index))).sort((a, b) => a - b);
  }

  /** Marks as skipped what needs something that did not succeed; answers how many. */
  skipHopeless(): number {
    if (this.#bad.length === 0) return 0;
    let skipped = 0;
    for (const index of this.having('waiting')) {
      if (!this.#touches(this.#open.get(index)?.needs)) continue;
      this.set(index, 'skipped');
      skipped++;
    }
    return skipped;
  }

  /** Waiting operations whose dependencies are fulfilled, the most urgent first. */
  ready(stagesAllowed: number, priority: number): number[] {
    while (this.#lowest < this.#marks.length && isOver(this.mark(this.#lowest))) this.#lowest++;
    const found = this.having('waiting').filter((index) => {
      const operation = this.#open.get(index) as BatchOperation;
      if (operation.stage >= stagesAllowed) return false;
      return this.#settled(operation.needs) && this.#settled(operation.after) && !this.#touches(operation.needs);
    });
    const urgency = (index: number) => this.#open.get(index)?.priority ?? priority;
    return found.sort((a, b) => urgency(a) - urgency(b) || a - b);
  }

  #settled(indices: Indices = []): boolean {
    return indices.every((one) => {
      const [first, last] = typeof one === 'number' ? [one, one] : one;
      for (let index = Math.max(first, this.#lowest); index <= last; index++) if (!isOver(this.mark(index))) return false;
      return true;
    });
  }

  #touches(indices: Indices = []): boolean {
    return indices.some((one) =>
      typeof one === 'number' ? isBad(this.mark(one)) : this.#bad.some((bad) => one[0] <= bad && bad <= one[1]),
    );
  }

  #occupy(operation: BatchOperation, by: number): void {
    for (const account of operation.accounts) this.#running.set(account, this.onAccount(account) + by);
  }
}

/** Nothing more happens to it, unless it is rolled back. */
export const isOver = (mark: BatchMark): boolean => !['waiting', 'asking', 'running', 'undoing'].includes(mark);
/** Reports whether dependent operations cannot run. */
export const isBad = (mark: BatchMark): boolean => ['failed', 'skipped', 'canceled', 'superseded', 'undone', 'left'].includes(mark);
const atWork = (mark: BatchMark): boolean => mark === 'running' || mark === 'undoing';
