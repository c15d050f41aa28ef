import { ActivityCancellationType, condition, proxyActivities, sleep, workflowInfo } from '@temporalio/workflow';
import type { Activities } from '../../activities/index.js';
import { type BatchMark, MARK_OF } from '../../core/operation/batch.js';
import { isOver } from '../../core/operation/batch-ledger.js';
import { describeFailure } from '../operation/failures.js';
import type { Books } from './batch-books.js';
import { stopper } from './batch-control.js';

/** Operations that one activity starts. */
const STARTED_AT_ONCE = 100;
/** Activities that start operations, at once. */
const STARTERS = 2;
/** How long a few free places wait for more. */
const HOLD_MS = 300;
/** Operations that wait for a lock, at most: they take up no place. */
const ASKING = 200;

export const batchActivities = () =>
  proxyActivities<Activities>({
    startToCloseTimeout: '2 min',
    heartbeatTimeout: '15 s',
    cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
    retry: { initialInterval: '500 ms', maximumInterval: '10 s' },
  });

/** Gives up the locks of operations that died. */
export async function forgetDead({ request: { workspace }, died }: Books): Promise<void> {
  while (died.length > 0) await batchActivities().forgetBatchLocks({ workspace, operations: died.splice(0) });
}

/** Begins what is ready, within the limits, until all is over or the history is full. */
export async function startReady(books: Books, full: () => boolean): Promise<'over' | 'full'> {
  const { request, state, ledger } = books;
  const { readBatchPage, startBatchOperations, cancelBatchOperations, forgetBatchLocks } = batchActivities();
  const { pages, pageSize, priority } = request;
  const loaded = new Set<number>();
  const canceled = new Set<number>();
  let starters = 0;
  /** Since when a few places are kept free for more: starting many costs little more than starting one. */
  let held: 'waiting' | 'over' | undefined;
  const many = Math.min(25, Math.ceil(state.parallel / 20));
  const waitedEnough = () => {
    if (held === undefined && ledger.count('running') > 0) {
      held = 'waiting';
      void sleep(HOLD_MS).then(() => {
        held = 'over';
        books.version++;
      });
    }
    return held !== 'waiting';
  };

  const pageOver = (page: number) =>
    [...ledger.marks.slice(page * pageSize, (page + 1) * pageSize)].every((letter) => isOver(MARK_OF[letter] as BatchMark));

  async function load(page: number): Promise<void> {
    loaded.add(page);
    ledger.load(page * pageSize, await readBatchPage({ page: pages[page] as string }));
  }

  async function loadMore(): Promise<void> {
    for (let page = 0; page < pages.length && ledger.hasRoom; page++) if (!loaded.has(page) && !pageOver(page)) await load(page);
  }

  async function start(indices: number[]): Promise<void> {
    starters++;
    for (const index of indices) {
      books.takeGranted(index);
      ledger.set(index, 'running');
    }
    try {
      const starts = indices.map((index) => ({ index, generation: books.generationOf(index) }));
      const used = [...new Set(indices.map((index) => Math.floor(index / pageSize)))];
      const { pages: _, stages: __, continueAfter: ___, operations: ____, ...batch } = request;
      const answer = await startBatchOperations({
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
    starters--;
    books.version++;
  }

  /** What may begin now, within all limits. */
  function choose(): number[] {
    const places = state.parallel - ledger.count('running');
    if (places <= 0) return [];
    const allowed = (index: number, taken: Map<string, number>) =>
      (ledger.operation(index)?.accounts ?? []).every((account) => {
        const limit = state.accounts[account];
        return limit === undefined || ledger.onAccount(account) + (taken.get(account) ?? 0) < limit;
      });
    const chosen: number[] = [];
    const taken = new Map<string, number>();
    const fresh = ledger.count('asking') < ASKING ? ledger.ready(state.approved, priority) : [];
    for (const index of [...books.grantedOnes().filter((one) => ledger.mark(one) === 'asking'), ...fresh]) {
      if (chosen.length >= Math.min(places, STARTED_AT_ONCE)) break;
      if (!allowed(index, taken)) continue;
      chosen.push(index);
      for (const account of ledger.operation(index)?.accounts ?? []) taken.set(account, (taken.get(account) ?? 0) + 1);
    }
    return chosen;
  }

  /** Nothing new is begun: what runs is told to stop, what waits for a lock gives it up. */
  async function stopAll(): Promise<void> {
    // A run that begins while it is being stopped has loaded nothing yet.
    const unknown = ledger.indices('asking').filter((index) => !ledger.operation(index));
    for (const page of new Set(unknown.map((index) => Math.floor(index / pageSize)))) await load(page);
    const asking = ledger.indices('asking');
    const running = state.letsRun ? [] : ledger.indices('running').filter((index) => !canceled.has(index));
    for (const index of running) canceled.add(index);
    const operations = asking.map((index) => ({ infra: ledger.operation(index)?.infra ?? '', operation: books.idOf(index) }));
    for (const index of asking) ledger.set(index, 'canceled');
    if (operations.length > 0) await forgetBatchLocks({ workspace: request.workspace, operations });
    if (running.length > 0) await cancelBatchOperations({ operations: running.map(books.idOf), by: stopper(books) });
  }

  for (;;) {
    const seen = books.version;
    await forgetDead(books);
    for (const index of state.undecided.length === 0 ? ledger.retried() : []) await load(Math.floor(index / pageSize));
    if (state.stopping) {
      if (starters === 0) await stopAll();
      if (starters === 0 && ledger.count('running', 'asking') === 0) {
        ledger.cancelWaiting();
        return 'over';
      }
    } else if (!full() && !state.unsigned) {
      await loadMore();
      if (state.undecided.length === 0) while (ledger.skipHopeless() > 0) await loadMore();
      while (starters < STARTERS) {
        const chosen = choose();
        if (chosen.length === 0 || (chosen.length < many && !waitedEnough())) break;
        held = undefined;
        void start(chosen);
      }
      const idle = starters === 0 && ledger.count('running', 'asking') === 0;
      if (idle && ledger.count('waiting') === 0 && state.undecided.length === 0) return 'over';
    }
    books.show();
    if (full() && starters === 0) return 'full';
    await condition(() => books.version !== seen || (full() && starters === 0));
  }
}
