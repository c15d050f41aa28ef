import { condition } from '@temporalio/workflow';
import { includes } from '../core/batch.js';
import type { Books } from './batch-books.js';
import { batchActivities } from './batch-starts.js';
import { describeFailure } from './failures.js';

const STARTED_AT_ONCE = 50;

/**
 * Takes back what the policy says, stage by stage from the last: what came later
 * may stand on what came before. What cannot be taken back is named.
 */
export async function takeBackBatch(books: Books, full: () => boolean): Promise<'over' | 'full'> {
  const { request, state, ledger } = books;
  const { findFailedBranch, startBatchUndo, forgetBatchLocks } = batchActivities();
  state.undo ??= await wanted();
  const limit = Math.min(state.parallel, ...Object.values(state.accounts));
  let starters = 0;

  async function wanted() {
    if (state.onFailure === 'rollback' && state.stopping) return [[0, request.operations - 1] as [number, number]];
    if (ledger.count('failed') === 0 || !(state.onFailure === 'rollback-branch' || state.branch)) return [];
    return findFailedBranch({ pages: request.pages, marks: ledger.marks });
  }

  async function start(indices: number[]): Promise<void> {
    starters++;
    for (const index of indices) {
      books.takeGranted(index);
      ledger.set(index, 'undoing');
    }
    try {
      const starts = indices.map((index) => ({ index, generation: books.generationOf(index) }));
      const { pages, stages: _, continueAfter: __, operations: ___, pageSize, ...batch } = request;
      const used = [...new Set(indices.map((index) => Math.floor(index / pageSize)))];
      const answer = await startBatchUndo({
        batch,
        pageSize,
        pages: Object.fromEntries(used.map((page) => [page, pages[page] as string])),
        starts,
      });
      for (const index of answer.nothing) ledger.set(index, 'undone');
    } catch (error) {
      const { why } = describeFailure(error, { step: 'take back', on: request.id });
      for (const index of indices) books.settle({ index, operation: books.idOf(index), status: 'failed', why });
    }
    starters--;
    books.version++;
  }

  const stageOf = (index: number) => {
    let before = 0;
    return request.stages.findIndex((size) => {
      before += size;
      return index < before;
    });
  };

  /** The finished ones of the last stage that has any; nothing while a later one is still at it. */
  function choose(): number[] {
    const granted = books.grantedOnes().filter((index) => ledger.mark(index) === 'undoing');
    if (granted.length > 0) return granted;
    const places = limit - ledger.count('undoing');
    if (places <= 0) return [];
    const done = ledger.indices('done').filter((index) => includes(state.undo, index));
    const last = done.at(-1);
    if (last === undefined) return [];
    const stage = stageOf(last);
    if (ledger.indices('undoing').some((index) => stageOf(index) > stage)) return [];
    return done.filter((index) => stageOf(index) === stage).slice(0, Math.min(places, STARTED_AT_ONCE));
  }

  for (;;) {
    const seen = books.version;
    if (books.died.length > 0) await forgetBatchLocks({ workspace: request.workspace, operations: books.died.splice(0) });
    if (!full()) {
      while (starters < 2) {
        const chosen = choose();
        if (chosen.length === 0) break;
        void start(chosen);
      }
      if (starters === 0 && ledger.count('undoing') === 0) return 'over';
      books.show();
    }
    if (full() && starters === 0) return 'full';
    await condition(() => books.version !== seen || (full() && starters === 0));
  }
}
