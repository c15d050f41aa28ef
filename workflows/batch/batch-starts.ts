import { condition } from '@temporalio/workflow';
import { batchActivities } from './batch-activities.js';
import { askerAgain } from './batch-ask-again.js';
import type { Books } from './batch-books.js';
import { stopper } from './batch-control.js';
import { BatchPages } from './batch-pages.js';
import { STARTED_AT_ONCE, Starters } from './batch-starters.js';

/** Operations that wait for a lock, at most: they take up no place. */
const ASKING = 200;

/** Gives up the locks of operations that died. */
export async function forgetDead({ request: { workspace }, died }: Books): Promise<void> {
  while (died.length > 0) await batchActivities().forgetBatchLocks({ workspace, operations: died.splice(0) });
}

/** Begins what is ready, within the limits, until all is over or the history is full. */
export async function startReady(books: Books, full: () => boolean): Promise<'over' | 'full'> {
  const { state, ledger } = books;
  const pages = new BatchPages(books);
  const starters = new Starters(books);
  const canceled = new Set<number>();
  const again = askerAgain(
    books,
    () => ledger.indices('asking'),
    () => !starters.idle,
  );
  for (;;) {
    const seen = books.version;
    await forgetDead(books);
    for (const index of state.undecided.length === 0 ? ledger.retried() : []) await pages.load(pages.of(index));
    if (state.stopping) {
      if (starters.idle) await stopAll(books, pages, canceled);
      if (starters.idle && ledger.count('running', 'asking') === 0) {
        ledger.cancelWaiting();
        again.stop();
        return 'over';
      }
    } else if (!full() && !state.unsigned) {
      await pages.loadMore();
      if (state.undecided.length === 0) while (ledger.skipHopeless() > 0) await pages.loadMore();
      starters.begin(() => choose(books));
      const idle = starters.idle && ledger.count('running', 'asking') === 0;
      if (idle && ledger.count('waiting') === 0 && state.undecided.length === 0) {
        again.stop();
        return 'over';
      }
    }
    books.show();
    if (full() && starters.idle) return 'full';
    again.look();
    await condition(() => books.version !== seen || (full() && starters.idle));
  }
}

/** Operations that may begin now, within all limits. */
function choose(books: Books): number[] {
  const { state, ledger, request } = books;
  const places = state.parallel - ledger.count('running');
  if (places <= 0) return [];
  const allowed = (index: number, taken: Map<string, number>) =>
    (ledger.operation(index)?.accounts ?? []).every((account) => {
      const limit = state.accounts[account];
      return limit === undefined || ledger.onAccount(account) + (taken.get(account) ?? 0) < limit;
    });
  const chosen: number[] = [];
  const taken = new Map<string, number>();
  const fresh = ledger.count('asking') < ASKING ? ledger.ready(state.approved, request.priority) : [];
  for (const index of [...books.grantedOnes().filter((one) => ledger.mark(one) === 'asking'), ...fresh]) {
    if (chosen.length >= Math.min(places, STARTED_AT_ONCE)) break;
    if (!allowed(index, taken)) continue;
    chosen.push(index);
    for (const account of ledger.operation(index)?.accounts ?? []) taken.set(account, (taken.get(account) ?? 0) + 1);
  }
  return chosen;
}

/**
 * Begins nothing new, stops running operations, and gives up requested locks.
 *
 * @param canceled operations that were already stopped; newly stopped ones are added
 */
async function stopAll(books: Books, pages: BatchPages, canceled: Set<number>): Promise<void> {
  const { request, state, ledger } = books;
  const { cancelBatchOperations, forgetBatchLocks } = batchActivities();
  // A run that begins while it is being stopped has loaded nothing yet.
  const unknown = ledger.indices('asking').filter((index) => !ledger.operation(index));
  for (const page of new Set(unknown.map((index) => pages.of(index)))) await pages.load(page);
  const asking = ledger.indices('asking');
  const running = state.letsRun ? [] : ledger.indices('running').filter((index) => !canceled.has(index));
  for (const index of running) canceled.add(index);
  const operations = asking.map((index) => ({ infra: ledger.operation(index)?.infra ?? '', operation: books.idOf(index) }));
  for (const index of asking) ledger.set(index, 'canceled');
  if (operations.length > 0) await forgetBatchLocks({ workspace: request.workspace, operations });
  const ids = running.map((index) => books.idOf(index));
  if (ids.length > 0) await cancelBatchOperations({ operations: ids, by: stopper(books) });
}
