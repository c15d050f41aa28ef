import { hostname } from 'node:os';
import type { Client } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { listWorkflows, OPEN } from '../app/temporal/visibility.js';
import { parseWorkerIdentity } from '../core/names.js';
import { markOf } from './engine/processes/process.js';

/** `PENDING_ACTIVITY_STATE_STARTED` of Temporal's API. */
const STARTED = 2;

/** Looked at side by side, so that some hundreds of operations take well under a second. */
const AT_ONCE = 20;

/** Whether an activity's worker was one of this machine and has ended. */
export function hasEnded(identity: string, isRunning = (pid: number) => markOf(pid) !== undefined): boolean {
  const worker = parseWorkerIdentity(identity);
  return worker !== undefined && worker.hostname === hostname() && !isRunning(worker.pid);
}

/**
 * Gives up what workers of this machine that have ended were doing, so that it is
 * tried again at once, and sends nobody to their caches. Without this the same comes
 * about when heartbeats have been missing for 15 s. Only for a service that is this
 * home's own, with one worker: elsewhere a host's name and a pid do not tell two apart.
 *
 * @returns how many activities were given up
 */
export async function takeOver(temporal: Client): Promise<number> {
  let taken = 0;
  const takeFrom = async (workflowId: string, runId: string) => {
    const { namespace } = temporal.options;
    await temporal.workflowService.resetStickyTaskQueue({ namespace, execution: { workflowId, runId } });
    const { raw } = await temporal.workflow.getHandle(workflowId, runId).describe();
    for (const { activityId, state, lastWorkerIdentity } of raw.pendingActivities ?? []) {
      if (!activityId || state !== STARTED || !hasEnded(lastWorkerIdentity ?? '')) continue;
      const failure = { message: 'its worker has ended', type: 'worker-ended', nextRetryDelay: 1 } as const;
      await temporal.activity.fail({ workflowId, runId, activityId }, ApplicationFailure.create(failure));
      taken++;
    }
  };
  let batch: Promise<void>[] = [];
  for await (const { workflowId, runId } of listWorkflows(temporal, OPEN)) {
    // One that ends meanwhile has nothing to be taken over; for another that cannot be asked the heartbeat's time-out is there.
    batch.push(takeFrom(workflowId, runId).catch(() => {}));
    if (batch.length < AT_ONCE) continue;
    await Promise.all(batch);
    batch = [];
  }
  await Promise.all(batch);
  return taken;
}
