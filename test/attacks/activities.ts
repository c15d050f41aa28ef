import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { plain, rawTemporal } from '../support/raw-temporal.js';
import type { Aim, Outcome } from './aim.js';
import type { Attack } from './attacks.js';
import { PLAIN, SAME } from './forged.js';
import { recordings } from './recorded.js';

const REFUSED = 'refused';
const SETTLED_MS = 20_000;
/** Command types of Temporal's API. */
const SCHEDULE_ACTIVITY = 1;
const seconds = (count: number) => ({ seconds: count as never, nanos: 0 });

/**
 * Makes a worker of the victim run an activity. The attacker starts a workflow, takes its tasks and answers with a
 * command.
 */
export async function haveDone(temporal: Client, taskQueue: string, { what, way, tries }: Attack, { mark }: Aim): Promise<Outcome> {
  const library = await recordings(temporal, taskQueue);
  const all = library.flatMap(({ workflowId, type, ended, activities }) =>
    ended && type !== 'infra' ? activities.map((one) => ({ ...one, workflowId })) : [],
  );
  // Local activities are not scheduled and have no recorded input. Use the input of another one under this name.
  const recorded = all.find(({ type }) => type === what) ?? all[0];
  if (way !== PLAIN && !recorded) return 'nothing recorded';
  const [args = []] = tries;
  const own = `stranger-${mark}-${randomUUID().slice(0, 8)}`;
  const workflowId = way === SAME && recorded ? recorded.workflowId : own;
  const activityId = way === SAME && recorded ? recorded.activityId : '1';
  const payloads = recorded && way !== PLAIN ? recorded.input : args.map(plain);
  const service = temporal.workflowService;
  const { namespace } = temporal.options;
  const begin = () =>
    service.startWorkflowExecution({
      namespace,
      workflowId,
      workflowType: { name: 'stranger' },
      taskQueue: { name: own },
      requestId: randomUUID(),
      workflowIdReusePolicy: 1,
      workflowRunTimeout: seconds(60),
    });
  const { runId } = await whenFree(begin);
  const { taskToken } = await temporal.connection.withDeadline(Date.now() + SETTLED_MS, () =>
    service.pollWorkflowTaskQueue({ namespace, taskQueue: { name: own }, identity: 'stranger' }),
  );
  await service.respondWorkflowTaskCompleted({
    namespace,
    taskToken,
    identity: 'stranger',
    commands: [
      {
        commandType: SCHEDULE_ACTIVITY,
        scheduleActivityTaskCommandAttributes: {
          activityId,
          activityType: { name: what },
          taskQueue: { name: taskQueue },
          input: { payloads },
          scheduleToCloseTimeout: seconds(15),
          startToCloseTimeout: seconds(15),
          retryPolicy: { maximumAttempts: 1 },
        },
      },
    ],
  });
  const raw = rawTemporal({ temporal, taskQueue });
  try {
    for (const until = Date.now() + SETTLED_MS; Date.now() < until; await sleep(100)) {
      for (const event of await raw.history(workflowId, runId ?? '')) {
        const failure = event.activityTaskFailedEventAttributes?.failure;
        if (failure) return failure.applicationFailureInfo?.type === REFUSED ? 'refused' : 'through';
        // An activity that started and gave no answer was not rejected.
        if (event.activityTaskCompletedEventAttributes || event.activityTaskTimedOutEventAttributes) return 'through';
      }
    }
    return 'through';
  } finally {
    await service.terminateWorkflowExecution({ namespace, workflowExecution: { workflowId, runId } }).catch(() => {});
  }
}

/** Another attack may use the same id at the same time. */
export async function whenFree<T>(begin: () => Promise<T>): Promise<T> {
  for (const until = Date.now() + SETTLED_MS; ; await sleep(100)) {
    try {
      return await begin();
    } catch (error) {
      if (!String(error).includes('ALREADY_EXISTS') || Date.now() > until) throw error;
    }
  }
}
