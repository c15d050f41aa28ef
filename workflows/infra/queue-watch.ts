import { CancellationScope, condition, proxyActivities } from '@temporalio/workflow';
import type { Activities } from '../../activities/index.js';

/** How long a watch lasts, in milliseconds. */
export const WATCH_MS = 24 * 60 * 60_000;

/**
 * Watches requests that wait in queues of infras. The worker asks beside its places, so that a wait of days adds next to
 * nothing to the history.
 */
export const queueWatches = proxyActivities<Activities>({
  startToCloseTimeout: '25 hours',
  heartbeatTimeout: '1 minute',
  retry: { maximumInterval: '1 minute' },
});

/** Answer of a watch. Undefined if `isOver` ended it before. */
export function watchUnless<T>(isOver: () => boolean, watch: () => Promise<T>): Promise<T | undefined> {
  return CancellationScope.cancellable(async () => {
    const watching = watch();
    try {
      return await Promise.race([watching, condition(isOver).then(() => undefined)]);
    } finally {
      watching.catch(() => {});
      CancellationScope.current().cancel();
    }
  });
}
