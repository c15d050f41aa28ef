import { type Client, isGrpcServiceError } from '@temporalio/client';
import type { RunningWorkflow } from './running-versions.js';

/** Ten years, in seconds. The server also derives the missing time limit of the start from it. */
const NEVER_S = 10 * 365 * 24 * 3_600;
const NEVER = { seconds: NEVER_S as unknown as Long };

/** Number of concurrent queries, so that some hundreds of operations take well under a second. */
const AT_ONCE = 20;

/** The first workflow version whose activities have no such time-out. */
export const UNLIMITED_VERSION = 2;

/** A status of gRPC. */
const NOT_FOUND = 5;

/** Ignores a workflow that has ended: it needs no change. */
function unlessEnded(error: unknown): void {
  if (!isGrpcServiceError(error) || error.code !== NOT_FOUND) throw error;
}

/**
 * Removes a time-out of former versions from pending activities, which also counts while no worker runs. Their
 * time-out for the work itself stays. Called before a worker polls, because waiting activities start then. If one
 * workflow cannot be read, the others are still changed.
 *
 * @param running only workflows of former versions are read
 * @returns number of activities with such a time-out
 */
export async function dropFormerTimeouts(temporal: Client, running: readonly RunningWorkflow[]): Promise<number> {
  const { namespace } = temporal.options;
  const former = running.filter(({ version }) => version < UNLIMITED_VERSION);
  let changed = 0;
  const look = async ({ workflowId, runId }: RunningWorkflow) => {
    const execution = { workflowId, runId };
    const { pendingActivities } = await temporal.workflowService.describeWorkflowExecution({ namespace, execution });
    for (const { activityId, activityOptions } of pendingActivities ?? []) {
      const { seconds = 0, nanos } = activityOptions?.scheduleToCloseTimeout ?? {};
      const isLimited = (Number(seconds) > 0 && Number(seconds) < NEVER_S) || (nanos ?? 0) > 0;
      if (!activityId || !isLimited) continue;
      await temporal.workflowService.updateActivityOptions({
        namespace,
        execution,
        id: activityId,
        activityOptions: { scheduleToCloseTimeout: NEVER, scheduleToStartTimeout: NEVER },
        updateMask: { paths: ['schedule_to_close_timeout', 'schedule_to_start_timeout'] },
      });
      changed++;
    }
  };
  const errors: unknown[] = [];
  const keep = (error: unknown) => void errors.push(error);
  for (let at = 0; at < former.length; at += AT_ONCE)
    await Promise.all(former.slice(at, at + AT_ONCE).map((one) => look(one).catch(unlessEnded).catch(keep)));
  if (errors.length > 0) throw errors[0];
  return changed;
}
