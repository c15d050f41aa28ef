import { proxyLocalActivities } from '@temporalio/workflow';
import type { Activities } from '../../../activities/index.js';

/** From within the workflow's own task, which saves a turn: for what waits for nothing but a store or Temporal. */
export const localActivities = proxyLocalActivities<Activities>({
  startToCloseTimeout: '20 s',
  retry: { initialInterval: '200 ms', maximumInterval: '10 s' },
  localRetryThreshold: '5 s',
});
