import { ActivityCancellationType, proxyActivities } from '@temporalio/workflow';
import type { Activities } from '../../activities/index.js';

export const batchActivities = () =>
  proxyActivities<Activities>({
    startToCloseTimeout: '2 min',
    heartbeatTimeout: '15 s',
    cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
    retry: { initialInterval: '500 ms', maximumInterval: '10 s' },
  });
