import { type Client, isGrpcServiceError } from '@temporalio/client';
import { listWorkflows, runningOn } from '../app/temporal/visibility.js';

/** Ten years, in seconds. The server takes the time for the start from it as well, where none was given. */
const NEVER_S = 10 * 365 * 24 * 3_600;
const NEVER = { seconds: NEVER_S as unknown as Long };

/** Looked at side by side, so that some hundreds of operations take well under a second. */
const AT_ONCE = 20;

/** A status of gRPC. */
const NOT_FOUND = 5;

/** One that ends meanwhile has nothing to be changed. */
function unlessEnded(error: unknown): void {
  if (!isGrpcServiceError(error) || error.code !== NOT_FOUND) throw error;
}

/**
 * Takes from pending activities the time-out that also counts while nobody works, which former versions gave them: what
 * they may work is theirs to keep. Called before a worker asks for work, since it is then that those begin which waited.
 * Where one cannot be looked at the others are all the same.
 *
 * @returns how many activities had one
 */
export async function dropFormerTimeouts(temporal: Client, taskQueue: string): Promise<number> {
  const { namespace } = temporal.options;
  let changed = 0;
  const look = async (workflowId: string, runId: string) => {
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
  const batch: Promise<void>[] = [];
  const errors: unknown[] = [];
  const done = () => Promise.all(batch.splice(0));
  for await (const { workflowId, runId } of listWorkflows(temporal, runningOn(taskQueue))) {
    batch.push(
      look(workflowId, runId)
        .catch(unlessEnded)
        .catch((error: unknown) => void errors.push(error)),
    );
    if (batch.length >= AT_ONCE) await done();
  }
  await done();
  if (errors.length > 0) throw errors[0];
  return changed;
}
