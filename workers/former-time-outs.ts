import { type Client, isGrpcServiceError } from '@temporalio/client';
import type { RunningWorkflow } from './running-versions.js';

/** Ten years, in seconds. The server takes the time for the start from it as well, where none was given. */
const NEVER_S = 10 * 365 * 24 * 3_600;
const NEVER = { seconds: NEVER_S as unknown as Long };

/** Looked at side by side, so that some hundreds of operations take well under a second. */
const AT_ONCE = 20;

/** The version of workflows since which activities have none. */
export const UNLIMITED_VERSION = 2;

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
 * @param running of which only what former versions began is looked at
 * @returns how many activities had one
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
