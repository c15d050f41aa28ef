import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { plain, rawTemporal } from '../support/raw-temporal.js';

/** Targets of the means that Temporal gives every accepted client. */
export interface Means {
  /** The running operation. */
  operation: string;
  /** The entity of its infra. */
  entity: string;
  /** An operation of another infra that has ended. */
  ended: string;
}

type Service = Client['workflowService'];
type Command = NonNullable<Parameters<Service['respondWorkflowTaskCompleted']>[0]['commands']>[number];
type Queue = NonNullable<Parameters<Service['pollWorkflowTaskQueue']>[0]['taskQueue']>;

/** Maximum wait of the attacker for an opportunity, in milliseconds. */
const WAIT_MS = 30_000;
/** Concurrent requests for tasks, more than the worker has. */
const POLLS = 24;
/** Time in which tasks are taken, in milliseconds. */
const STEAL_MS = 15_000;
/** Command types of Temporal's API. */
const [SCHEDULE_ACTIVITY, COMPLETE_WORKFLOW] = [1, 4];
const seconds = (count: number) => ({ seconds: count as never, nanos: 0 });

export function meansOf(temporal: Client, taskQueue: string) {
  const service = temporal.workflowService;
  const { namespace } = temporal.options;
  const raw = rawTemporal({ temporal, taskQueue });
  const identity = 'stranger';

  /** Returns the id of a running activity of this type. */
  async function pending(workflowId: string, type: string): Promise<string> {
    for (const until = Date.now() + WAIT_MS; Date.now() < until; await sleep(50)) {
      const { pendingActivities } = await service.describeWorkflowExecution({ namespace, execution: { workflowId } });
      const found = pendingActivities?.find(({ activityType, state }) => activityType?.name === type && state === 2);
      if (found?.activityId) return found.activityId;
    }
    throw new Error(`${workflowId} was never at ${type}`);
  }

  const createServer = ({ operation }: Means) => pending(operation, 'createServer');

  /** Acts during the creation of the second server. */
  const during = (act: (at: Means) => Promise<unknown>) => async (at: Means) => {
    await createServer(at);
    await act(at);
  };

  const terminate = (workflowId: string) =>
    service.terminateWorkflowExecution({ namespace, workflowExecution: { workflowId }, reason: identity });
  const cancel = (workflowId: string) =>
    service.requestCancelWorkflowExecution({ namespace, workflowExecution: { workflowId }, identity, requestId: randomUUID() });

  /** Polls a queue for tasks with many concurrent requests, for a while. */
  async function poll(asking: (deadline: number) => Promise<boolean>, forMs: number): Promise<number> {
    const until = Date.now() + forMs;
    let taken = 0;
    let enough = false;
    await Promise.all(
      Array.from({ length: POLLS }, async () => {
        while (!enough && Date.now() < until) {
          const got = await temporal.connection.withDeadline(until, () => asking(until)).catch(() => false);
          if (got) taken++;
          enough ||= got;
        }
      }),
    );
    return taken;
  }

  /**
   * Takes tasks of a workflow from the queues in its history. Answers the first task with commands, if there are any.
   */
  async function stealTask(workflowId: string, commands?: () => Promise<Command[]>): Promise<void> {
    const events = await raw.history(workflowId);
    const queues = new Map<string, Queue>([[taskQueue, { name: taskQueue }]]);
    for (const { workflowTaskScheduledEventAttributes: task } of events)
      if (task?.taskQueue?.name) queues.set(task.taskQueue.name, task.taskQueue);
    const taken = await Promise.all(
      [...queues.values()].map((queue) =>
        poll(async () => {
          const task = await service.pollWorkflowTaskQueue({ namespace, taskQueue: queue, identity });
          if (task.workflowExecution?.workflowId !== workflowId || task.query) return false;
          if (commands)
            await service.respondWorkflowTaskCompleted({
              namespace,
              taskToken: task.taskToken,
              identity,
              commands: await commands(),
            });
          return true;
        }, STEAL_MS),
      ),
    );
    if (taken.every((count) => count === 0)) throw new Error('no task was to be had');
  }

  const completed = async (): Promise<Command[]> => [
    {
      commandType: COMPLETE_WORKFLOW,
      completeWorkflowExecutionCommandAttributes: { result: { payloads: [plain({ status: 'done' })] } },
    },
  ];

  /** Schedules an activity again that the same run has scheduled before. */
  const again = (type: string, workflowId: string) => async (): Promise<Command[]> => {
    const events = await raw.history(workflowId);
    const asked = events.flatMap(({ activityTaskScheduledEventAttributes: one }) =>
      one?.activityType?.name === type ? [one] : [],
    );
    const [{ activityId, input } = {}] = asked;
    return [
      {
        commandType: SCHEDULE_ACTIVITY,
        scheduleActivityTaskCommandAttributes: {
          activityId,
          activityType: { name: type },
          taskQueue: { name: taskQueue },
          input,
          scheduleToCloseTimeout: seconds(30),
          startToCloseTimeout: seconds(30),
        },
      },
    ];
  };

  return {
    cancel: during((at) => cancel(at.operation)),
    terminate: during((at) => terminate(at.operation)),
    'reset to its beginning': during((at) => raw.reset(at.operation, 'first')),
    'reset to its last task': during((at) => raw.reset(at.operation, 'last')),
    delete: during((at) => raw.remove(at.operation)),
    'cancel of the entity': during((at) => cancel(at.entity)),
    'terminate of the entity': during((at) => terminate(at.entity)),
    'reset of the entity to its beginning': during((at) => raw.reset(at.entity, 'first')),
    'reset of the entity to its last task': during((at) => raw.reset(at.entity, 'last')),
    'delete of the entity': during((at) => raw.remove(at.entity)),
    'activity answered by a failure': async (at: Means) => {
      const activityId = await createServer(at);
      const failure = { message: 'forged', applicationFailureInfo: { type: 'forged', nonRetryable: true } };
      await service.respondActivityTaskFailedById({ namespace, workflowId: at.operation, activityId, failure, identity });
    },
    'activity answered in plain text': async (at: Means) => {
      const activityId = await createServer(at);
      const result = { payloads: [plain({ id: 'forged' })] };
      await service.respondActivityTaskCompletedById({ namespace, workflowId: at.operation, activityId, result, identity });
    },
    'activity answered by a recorded result': async (at: Means) => {
      const events = await raw.history(at.ended);
      const asked = events.find((one) => one.activityTaskScheduledEventAttributes?.activityType?.name === 'createServer');
      const done = events.find(
        (one) => String(one.activityTaskCompletedEventAttributes?.scheduledEventId) === String(asked?.eventId),
      );
      const result = done?.activityTaskCompletedEventAttributes?.result;
      if (!result?.payloads?.length) throw new Error('no result was recorded');
      const activityId = await createServer(at);
      await service.respondActivityTaskCompletedById({ namespace, workflowId: at.operation, activityId, result, identity });
    },
    'workflow beside it with a memo in plain text': during(async (at) => {
      const { searchAttributes } = await temporal.workflow.getHandle(at.operation).describe();
      const indexed = Object.entries(searchAttributes ?? {}).map(([name, values]) => [
        name,
        plain((values as unknown[] | undefined)?.[0]),
      ]);
      const id = `${at.operation}-stranger`;
      await raw.start('cluster', id, [plain({})], { memo: { stranger: plain('plain') }, attributes: Object.fromEntries(indexed) });
      await terminate(id).catch(() => {});
    }),
    'activity task taken and kept': async () => {
      const queue = { name: taskQueue };
      const ask = async () =>
        ((await service.pollActivityTaskQueue({ namespace, taskQueue: queue, identity })).taskToken?.length ?? 0) > 0;
      if ((await poll(ask, STEAL_MS)) === 0) throw new Error('no task was to be had');
    },
    'workflow task taken and kept': during((at) => stealTask(at.operation)),
    'workflow task answered: completed': during((at) => stealTask(at.operation, completed)),
    'workflow task answered: asks again': during((at) => stealTask(at.operation, again('planServers', at.operation))),
    'workflow task of the entity answered: completed': during((at) => stealTask(at.entity, completed)),
  } satisfies Record<string, (at: Means) => Promise<void>>;
}

export type MeansName = keyof ReturnType<typeof meansOf>;
