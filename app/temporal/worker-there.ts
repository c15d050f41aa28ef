import { setTimeout as sleep } from 'node:timers/promises';
import type { ConnectionLike, Client as Temporal, WorkflowClientInterceptor } from '@temporalio/client';
import type { EngineRecord } from '../../core/engine/engine.js';
import { isOpen } from '../../core/engine/is-open.js';
import { unreachableError } from '../../core/errors.js';
import { countPollers, LATELY_MS } from './pollers.js';

/** How long the service may take to say who polls, in milliseconds. */
const ASK_MS = 5_000;
/** How long an answer that a worker is there is good for, in milliseconds. */
const GOOD_MS = 3_000;
/** How long a worker may take to begin an operation, in milliseconds. */
const BEGIN_MS = 10_000;
const LOOK_MS = 100;
/** Events of a workflow that no worker has taken up: that it was started, and that it waits to be. */
const UNTOUCHED = 2;

/** Knows whether a worker is there that takes up what is asked of the service. */
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

/** Asks of workflows only what a worker is there to answer: Temporal would let the caller wait for one. */
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

/** Whether no worker has taken up a workflow: nothing of it was done. */
export async function isUntouched(temporal: Temporal, id: string): Promise<boolean> {
  const { status, historyLength } = await temporal.workflow.getHandle(id).describe();
  return isOpen(status.name) && historyLength <= UNTOUCHED;
}

/** Ends an operation that no worker has taken up, so that none does later. */
export const withdraw = (temporal: Temporal, id: string, why: string): Promise<unknown> =>
  temporal.workflow.getHandle(id).terminate(`withdrawn: ${why}`);

/**
 * Waits until a worker has taken up an operation, and withdraws it where none does: one
 * on another machine may have ended without the service knowing.
 *
 * @throws unreachableError `no-worker`: the operation was withdrawn
 */
export async function awaitBeginOrWithdraw(temporal: Temporal, id: string, withinMs = BEGIN_MS): Promise<void> {
  for (const until = Date.now() + withinMs; await isUntouched(temporal, id); await sleep(LOOK_MS)) {
    if (Date.now() < until) continue;
    const why = `no worker accepted it within ${withinMs / 1000} s`;
    await withdraw(temporal, id, why);
    const withdrawn = `${why}; it was withdrawn`;
    throw unreachableError({ code: 'no-worker', what: 'submit the operation', on: id, why: withdrawn, hint: QUEUE_HINT });
  }
}

export const QUEUE_HINT = 'run `provisioning up` and submit it again; with --queue it waits for a worker instead';
