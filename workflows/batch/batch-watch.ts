import { CancellationScope, isCancellation, proxyActivities, sleep, workflowInfo } from '@temporalio/workflow';
import type { Activities } from '../../activities/index.js';

const { watchBatchOperations } = proxyActivities<Activities>({
  startToCloseTimeout: '1 day',
  heartbeatTimeout: '30 s',
  retry: { maximumInterval: '10 s' },
});

/** How far back it looks: what closed shortly before the watch began may not be listed yet. */
const BACK_MS = 60_000;

/** Has operations that died without a report told of by the signal `closed`, until it is canceled. */
export function watchDead(batch: string): { cancel(): void } {
  const scope = new CancellationScope();
  // The run before watched until this one was made, however much later a worker takes it up.
  const since = new Date(workflowInfo().runStartTime.getTime() - BACK_MS).toISOString();
  let ended = false;
  const watch = async () => {
    while (!ended) {
      try {
        await watchBatchOperations({ batch, since, everyMs: 1_500 });
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
