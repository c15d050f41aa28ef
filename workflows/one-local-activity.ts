import { type WorkflowOutboundCallsInterceptor, workflowInfo } from '@temporalio/workflow';
import { readWorkflowsVersion } from '../core/engine/workflows-version.js';

/** The version of workflows since which they wait for each other. */
const SINCE = 2;

/**
 * Runs one local activity of a workflow at a time. If two end within one task, each wakes the workflow separately, but
 * a replay gives it both answers at once. Commands could then have another order: `TMPRL1100`, at each further replay.
 */
export function oneLocalActivity(): WorkflowOutboundCallsInterceptor {
  let last: Promise<unknown> | undefined;
  return {
    async scheduleLocalActivity(input, next) {
      if (readWorkflowsVersion(workflowInfo().memo) < SINCE) return next(input);
      // Each waits for the one before it, however that ends; the first of them begins at once.
      const before = last;
      const own = before ? before.then(() => next(input)) : next(input);
      const over: Promise<unknown> = own.then(
        () => {},
        () => {},
      );
      last = over;
      try {
        return await own;
      } finally {
        if (last === over) last = undefined;
      }
    },
  };
}
