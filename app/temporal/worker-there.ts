import { setTimeout as sleep } from 'node:timers/promises';
import type { ConnectionLike, Client as Temporal, WorkflowClientInterceptor } from '@temporalio/client';
import type { EngineRecord } from '../../core/engine/engine.js';
import { isOpen } from '../../core/engine/is-open.js';
import { unreachableError } from '../../core/errors.js';
import { countPollers, LATELY_MS } from './pollers.js';

/** Time limit of the service's answer about pollers, in milliseconds. */
const ASK_MS = 5_000;
/** Validity of the answer that a worker is there, in milliseconds. */
const GOOD_MS = 3_000;
/** How long a worker may take to begin an operation, in milliseconds. */
const BEGIN_MS = 10_000;
const LOOK_MS = 100;
/** Number of events of a workflow that no worker has received: its start, and its scheduled task. */
const UNTAKEN = 2;
/** Number of events within which the first task is completed, unless as many messages come before it. */
const FIRST_EVENTS = 50;
/** `STARTED` in Temporal's API, for workflow tasks. */
const STARTED = 2;

/** Checks whether a worker is there that accepts requests to the service. */
export interface WorkerWatch {
  isThere(): Promise<boolean>;
  /** @throws unreachableError `no-worker` */
  require(what: string, on: string, hint?: string): Promise<void>;
}

export function workerWatch(
  connection: ConnectionLike & { withDeadline<T>(deadline: number, work: () => Promise<T>): Promise<T> },
  engine: Pick<EngineRecord, 'kind' | 'namespace' | 'taskQueue'>,
): WorkerWatch {
  let seen = 0;
  const watch: WorkerWatch = {
    async isThere() {
      if (Date.now() - seen < GOOD_MS) return true;
      const pollers = await connection.withDeadline(Date.now() + ASK_MS, () => countPollers(connection, engine));
      if (pollers.length > 0) seen = Date.now();
      return pollers.length > 0;
    },
    async require(what, on, hint) {
      if (!(await watch.isThere())) throw noWorker(engine, what, on, hint);
    },
  };
  return watch;
}

const noWorker = ({ kind, taskQueue }: Pick<EngineRecord, 'kind' | 'taskQueue'>, what: string, on: string, hint?: string) =>
  unreachableError({
    code: 'no-worker',
    what,
    on,
    why:
      kind === 'own'
        ? 'no worker of this home is running'
        : `no worker has polled the queue "${taskQueue}" in the last ${LATELY_MS / 1000} s`,
    hint: hint ?? 'provisioning up',
  });

/** Refuses requests to workflows without a worker: Temporal would make the caller wait for one. */
export function onlyWithWorker({ require }: WorkerWatch): WorkflowClientInterceptor {
  return {
    async startWithDetails(input, next) {
      await require(`start ${input.workflowType}`, input.options.workflowId);
      return next(input);
    },
    async query(input, next) {
      await require('ask the operation', input.workflowExecution.workflowId ?? '');
      return next(input);
    },
    async startUpdate(input, next) {
      await require(`send "${input.updateName}"`, input.workflowExecution.workflowId ?? '');
      return next(input);
    },
  };
}

/** `begun`: a worker has completed a task of it. `taken`: its first task is out, and its worker may have ended with it. */
type Begin = 'begun' | 'taken' | 'waits';

/** How far the beginning of a workflow is. A worker that ends may take a task that it does not complete. */
async function readBegin(temporal: Temporal, id: string): Promise<Begin> {
  const { status, historyLength, runId, raw } = await temporal.workflow.getHandle(id).describe();
  const firstRunId = raw.workflowExecutionInfo?.firstRunId || runId;
  if (!isOpen(status.name) || firstRunId !== runId) return 'begun';
  if (historyLength <= UNTAKEN) return 'waits';
  const { namespace } = temporal.options;
  const execution = { workflowId: id, runId };
  const request = { namespace, execution, maximumPageSize: FIRST_EVENTS };
  const { history } = await temporal.workflowService.getWorkflowExecutionHistory(request);
  if (history?.events?.some((event) => event.workflowTaskCompletedEventAttributes)) return 'begun';
  return raw.pendingWorkflowTask?.state === STARTED ? 'taken' : 'waits';
}

/** Whether no worker has completed a task of a workflow: nothing of it was done. */
export const isUntouched = async (temporal: Temporal, id: string): Promise<boolean> => (await readBegin(temporal, id)) !== 'begun';

/** Ends an operation that no worker has started, so that no worker starts it later. */
export const withdraw = (temporal: Temporal, id: string, why: string): Promise<unknown> =>
  temporal.workflow.getHandle(id).terminate(`withdrawn: ${why}`);

/**
 * Waits until a worker has completed the first task of an operation. Withdraws the operation if no worker does: a
 * worker on another machine may have ended unnoticed by the service, or with the task.
 *
 * @throws unreachableError `no-worker`: the operation was withdrawn
 */
export async function awaitBeginOrWithdraw(temporal: Temporal, id: string, withinMs = BEGIN_MS): Promise<void> {
  for (const until = Date.now() + withinMs; ; await sleep(LOOK_MS)) {
    const begin = await readBegin(temporal, id);
    if (begin === 'begun') return;
    // Temporal dispatches a task again if its worker has ended.
    if (begin === 'taken' || Date.now() < until) continue;
    const why = `no worker accepted it within ${withinMs / 1000} s`;
    await withdraw(temporal, id, why);
    const withdrawn = `${why}; it was withdrawn`;
    throw unreachableError({ code: 'no-worker', what: 'submit the operation', on: id, why: withdrawn, hint: QUEUE_HINT });
  }
}

export const QUEUE_HINT = 'run `provisioning up` and submit it again; with --queue it waits for a worker instead';
