import type {} from '@temporalio/common/lib/activity-options.js';

declare module '@temporalio/common/lib/activity-options.js' {
  interface ActivityOptions {
    /**
     * Time limit of all attempts together, in milliseconds; absent: no limit. It replaces Temporal's
     * schedule-to-close, which also counts time without a worker. The worker enforces it (activities/worked-time.ts),
     * and the seal of the activity's input brings it there.
     */
    patienceMs?: number;
  }
  interface LocalActivityOptions {
    /** As of other activities. */
    patienceMs?: number;
  }
}
