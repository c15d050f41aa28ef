import type {} from '@temporalio/common/lib/activity-options.js';
import type { Lock } from '../core/infra/lock.js';

declare module '@temporalio/common/lib/activity-options.js' {
  interface ActivityOptions {
    /**
     * Present lock of the calling operation. The seal of the activity's input brings it to the worker. The worker
     * checks that it holds if the activity has changes, or the run is a *Reset* (activities/fence.ts).
     */
    under?: () => Lock;
    /** It changes the world: before each attempt the worker asks whether the lock still holds. */
    changes?: true;
  }
  interface LocalActivityOptions {
    /** As of other activities. */
    under?: () => Lock;
    /** As of other activities. */
    changes?: true;
  }
}
