import { proxyLocalActivities } from '@temporalio/workflow';
import type { Activities } from '../../activities/index.js';
import type { Lock } from '../../core/infra/lock.js';
import type {} from '../fence.js';

/** From within the workflow's own task: nothing is waited for but the store. */
const activities = proxyLocalActivities<Activities>({
  startToCloseTimeout: '20 s',
  retry: { initialInterval: '200 ms', maximumInterval: '10 s' },
  localRetryThreshold: '5 s',
});

/**
 * Has it noted that this run was started with its message, before the run waits for
 * anything: one that ends in the queue could be begun again with it otherwise.
 * Fails as refused in a run that was started with a message of another run.
 *
 * @param under the lock that it is about to ask for
 */
export async function noteStart(under: () => Lock): Promise<void> {
  await activities.noteStart.executeWithOptions({ under }, []);
}
