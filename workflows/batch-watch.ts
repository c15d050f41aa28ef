import { CancellationScope, isCancellation, proxyActivities, sleep } from '@temporalio/workflow';
import type { Activities } from '../activities/index.js';
import type { Books } from './batch-books.js';

const { watchBatchOperations } = proxyActivities<Activities>({
  startToCloseTimeout: '1 day',
  heartbeatTimeout: '30 s',
  retry: { maximumInterval: '10 s' },
});

/** How far back it looks: what closed shortly before the watch began may not be listed yet. */
const BACK_MS = 60_000;

/** Watches for operations that died without a report, until it is canceled. */
export function watchDead(books: Books): { cancel(): void } {
  const scope = new CancellationScope();
  const known = new Set<string>();
  let ended = false;
  const watch = async () => {
    while (!ended) {
      try {
        const since = new Date(Date.now() - BACK_MS).toISOString();
        const closed = await watchBatchOperations({ batch: books.request.id, since, known: [...known], everyMs: 1_500 });
        for (const { operation, how } of closed) {
          books.bury(operation, how);
          known.add(operation);
        }
        while (known.size > 500) known.delete([...known][0] as string);
      } catch (error) {
        if (isCancellation(error)) return;
        await sleep(5_000);
      }
    }
  };
  void scope.run(watch);
  return {
    cancel() {
      ended = true;
      scope.cancel();
    },
  };
}
