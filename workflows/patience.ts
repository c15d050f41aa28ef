import type {} from '@temporalio/common/lib/activity-options.js';

declare module '@temporalio/common/lib/activity-options.js' {
  interface ActivityOptions {
    /**
     * How long all attempts together may work, in milliseconds; absent: as long as it takes. It stands in place of
     * Temporal's schedule-to-close, which also counts the time in which no worker is there. The worker keeps it
     * (activities/worked-time.ts); the seal of the activity's input brings it there.
     */
    patienceMs?: number;
  }
  interface LocalActivityOptions {
    /** As of other activities. */
    patienceMs?: number;
  }
}
