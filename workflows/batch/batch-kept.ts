import { isCancellation, proxyActivities } from '@temporalio/workflow';
import type { Activities } from '../../activities/index.js';
import { describeKeeping } from '../../core/infra/feed-state.js';
import { waitsForStore } from '../operation/frame/tell-infra.js';
import type { Books } from './batch-books.js';

/** How long the first attempt waits, in milliseconds; it takes a few where all is well. */
const NEAR_MS = 10_000;
/** How long each further one does, in milliseconds: between two of them it takes no place on the worker. */
const AFAR_MS = 1_000;

const { awaitBatchKept } = proxyActivities<Activities>({
  startToCloseTimeout: '2 minutes',
  heartbeatTimeout: '1 minute',
  retry: { initialInterval: '200 ms', maximumInterval: '10 s' },
});

/**
 * Waits until the store has everything that the batch's operations did, before the end is reported. The batch waits
 * once for all of them. If each waited within its own task, they could leave no slot for the task of the entity for
 * which they wait.
 */
export async function waitUntilBatchKept(books: Books): Promise<void> {
  if (!waitsForStore()) return;
  const { request, ledger } = books;
  const end = { workspace: request.workspace, pages: request.pages, marks: ledger.marks };
  try {
    let keeping = await awaitBatchKept({ ...end, forMs: NEAR_MS });
    while (keeping) {
      books.waitFor(describeKeeping(keeping.trouble));
      const known = keeping.trouble?.since ?? '';
      keeping = await awaitBatchKept.executeWithOptions({ summary: 'Wait for the store' }, [{ ...end, forMs: AFAR_MS, known }]);
    }
  } catch (error) {
    // An unreadable page, for example a missing one, does not prevent the end of the batch.
    if (isCancellation(error)) throw error;
  }
}
