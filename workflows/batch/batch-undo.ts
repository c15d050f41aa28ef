import { condition, patched } from '@temporalio/workflow';
import { type BatchMark, type BatchState, compact, each, includes } from '../../core/operation/batch.js';
import { describeFailure } from '../operation/failures.js';
import { batchActivities } from './batch-activities.js';
import { askerAgain } from './batch-ask-again.js';
import { type Books, stageOf } from './batch-books.js';
import { forgetDead } from './batch-starts.js';

const STARTED_AT_ONCE = 50;

type Undo = NonNullable<BatchState['undo']>;

/**
 * Rolls back as the policy says, stage by stage from the last, because later work may depend on earlier work.
 * Operations that cannot be rolled back are named.
 */
export async function rollBackBatch(books: Books, full: () => boolean): Promise<'over' | 'full'> {
  const { request, state, ledger } = books;
  const { startBatchUndo } = batchActivities();
  state.undo ??= await wanted(books);
  const lastFirst = state.undo.length > 0 && patched('batch-undo-last-first');
  let starters = 0;
  /** Those whose rolling back waits for a lock. */
  const waiting = new Set<number>();
  const stillWaiting = () => [...waiting].filter((index) => ledger.mark(index) === 'undoing');
  const again = askerAgain(books, stillWaiting, () => starters > 0);

  async function start(indices: number[]): Promise<void> {
    starters++;
    const former = new Map(indices.map((index) => [index, ledger.mark(index)]));
    for (const index of indices) {
      books.takeGranted(index);
      waiting.delete(index);
      ledger.set(index, 'undoing');
    }
    try {
      const starts = indices.map((index) => startOf(books, index, former.get(index)));
      const { pages, stages: _, continueAfter: __, operations: ___, pageSize, ...batch } = request;
      const used = [...new Set(indices.map((index) => Math.floor(index / pageSize)))];
      const answer = await startBatchUndo({
        batch,
        pageSize,
        pages: Object.fromEntries(used.map((page) => [page, pages[page] as string])),
        starts,
      });
      for (const index of answer.waiting) waiting.add(index);
      forget(answer.nothing, former);
      // Absent in what a former release answered.
      for (const { index, why } of answer.cannot ?? [])
        books.settle({ index, operation: books.idOf(index), status: 'failed', why });
    } catch (error) {
      const { why } = describeFailure(error, { step: 'Roll back', on: request.id });
      for (const index of indices) books.settle({ index, operation: books.idOf(index), status: 'failed', why });
    }
    starters--;
    books.version++;
  }

  /** An operation without effects has its former mark, unless it was done. */
  function forget(nothing: number[], former: ReadonlyMap<number, BatchMark>): void {
    const over = new Set<number>();
    const idle: number[] = [];
    for (const index of nothing) {
      const mark = former.get(index);
      const ended = mark === 'failed' || mark === 'canceled';
      ledger.set(index, ended ? mark : 'undone');
      if (ended) over.add(index);
      else idle.push(index);
    }
    if (idle.length > 0) state.nothing = compact([...each(state.nothing), ...idle].sort((a, b) => a - b));
    if (over.size > 0) state.undo = compact([...each(state.undo)].filter((index) => !over.has(index)));
  }

  for (;;) {
    const seen = books.version;
    await forgetDead(books);
    if (!full()) {
      while (starters < 2) {
        const chosen = choose(books, lastFirst);
        if (chosen.length === 0) break;
        void start(chosen);
      }
      if (starters === 0 && ledger.count('undoing') === 0) {
        again.stop();
        return 'over';
      }
      books.show();
    }
    if (full() && starters === 0) return 'full';
    again.look();
    await condition(() => books.version !== seen || (full() && starters === 0));
  }
}

/** Begins the roll-back of an operation. @param former its mark before */
const startOf = (books: Books, index: number, former?: BatchMark) => ({
  index,
  generation: books.generationOf(index),
  ...(former === 'canceled' && { canceled: true as const }),
});

/** Operations that the policy rolls back. */
async function wanted({ request, state, ledger }: Books): Promise<Undo> {
  const whole = (): Undo | undefined =>
    state.onFailure === 'rollback' && state.stopping ? [[0, request.operations - 1]] : undefined;
  const now = whole();
  if (now) return now;
  if (ledger.count('failed') === 0 || !(state.onFailure === 'rollback-branch' || state.branch)) return [];
  const branch = await batchActivities().findFailedBranch({ pages: request.pages, marks: ledger.marks });
  // A person may have decided it in the meantime.
  return whole() ?? branch;
}

/**
 * The ended ones of the last stage that has any; nothing while a later one is still at it.
 *
 * @param lastFirst the last of them first: what an early one made, such as the network of an infra, the others stand in
 */
function choose(books: Books, lastFirst: boolean): number[] {
  const { request, state, ledger } = books;
  const granted = books.grantedOnes().filter((index) => ledger.mark(index) === 'undoing');
  if (granted.length > 0) return granted;
  const places = Math.min(state.parallel, ...Object.values(state.accounts)) - ledger.count('undoing');
  if (places <= 0) return [];
  // Other operations rolled themselves back, unless they had to keep their work. An ended batch may have left some
  // work.
  const toLookAt: BatchMark[] = request.of || request.onFailure === 'keep' ? ['done', 'failed', 'canceled'] : ['done'];
  const ended = ledger.indices(...toLookAt).filter((index) => includes(state.undo, index));
  const last = ended.at(-1);
  if (last === undefined) return [];
  const stage = stageOf(request, last);
  if (ledger.indices('undoing').some((index) => stageOf(request, index) > stage)) return [];
  const ofStage = ended.filter((index) => stageOf(request, index) === stage);
  if (lastFirst) ofStage.reverse();
  return ofStage.slice(0, Math.min(places, STARTED_AT_ONCE));
}
