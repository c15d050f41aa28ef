import { hostname } from 'node:os';
import type { Client } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import type { WorkNote } from '../core/engine/worker-deaths.js';
import { infraWorkflowId, parseWorkerIdentity, SEARCH_ATTRIBUTES } from '../core/names.js';
import { readProcessMark } from './engine/processes/process.js';

/** `PENDING_ACTIVITY_STATE_STARTED` of Temporal's API. */
const STARTED = 2;

/** Number of concurrent queries, so that some hundreds of operations take well under a second. */
const AT_ONCE = 20;

/** Whether an activity's worker was one of this machine and has ended. */
export function hasEnded(identity: string, isRunning = (pid: number) => readProcessMark(pid) !== undefined): boolean {
  const worker = parseWorkerIdentity(identity);
  return worker !== undefined && worker.hostname === hostname() && !isRunning(worker.pid);
}

/** Number of checked workflows, and of activities that were given up. */
export interface TakenOver {
  looked: number;
  taken: number;
}

/**
 * Gives up the activities of ended workers on this machine, so that they are retried at once, and clears the sticky
 * queues of those workers. Without this the same happens after 15 s without heartbeats. Only for a service that is
 * this home's own, with one worker: elsewhere a host name and a pid do not identify a worker.
 *
 * Checks only workflows that were at work, because there may be thousands of idle infras.
 *
 * @param atWork notes of the last worker (work-notes.ts)
 */
export async function takeOver(temporal: Client, atWork: readonly WorkNote[]): Promise<TakenOver> {
  const { namespace } = temporal.options;
  const entities = new Set<string>();
  const workflows = new Set(atWork.map(({ operation }) => operation));
  let taken = 0;
  const leaveCache = (workflowId: string) =>
    temporal.workflowService.resetStickyTaskQueue({ namespace, execution: { workflowId } });
  const takeFrom = async (workflowId: string) => {
    await leaveCache(workflowId);
    const { raw, runId, searchAttributes } = await temporal.workflow.getHandle(workflowId).describe();
    const [workspace, infra] = [SEARCH_ATTRIBUTES.workspace, SEARCH_ATTRIBUTES.infra].map((name) => searchAttributes?.[name]?.[0]);
    if (workspace && infra) entities.add(infraWorkflowId(String(workspace), String(infra)));
    for (const { activityId, state, lastWorkerIdentity } of raw.pendingActivities ?? []) {
      if (!activityId || state !== STARTED || !hasEnded(lastWorkerIdentity ?? '')) continue;
      const failure = { message: 'its worker has ended', type: 'worker-ended', nextRetryDelay: 1 } as const;
      await temporal.activity.fail({ workflowId, runId, activityId }, ApplicationFailure.create(failure));
      taken++;
    }
  };
  await eachSideBySide([...workflows], takeFrom);
  // Their next messages go to the entities of their infras.
  await eachSideBySide(
    [...entities].filter((one) => !workflows.has(one)),
    leaveCache,
  );
  return { looked: workflows.size, taken };
}

async function eachSideBySide(workflows: string[], work: (workflow: string) => Promise<unknown>): Promise<void> {
  // An ended workflow needs no takeover. If another one cannot be queried, the time-out of its heartbeat applies.
  for (let at = 0; at < workflows.length; at += AT_ONCE)
    await Promise.all(workflows.slice(at, at + AT_ONCE).map((one) => work(one).catch(() => {})));
}
