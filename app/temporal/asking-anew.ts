import { type ConnectionLike, isGrpcServiceError, ServiceError, type WorkflowClientInterceptor } from '@temporalio/client';

/**
 * For how long a task waits in the queue of the worker that has its workflow at hand, in milliseconds. What a dead
 * worker was to go on with is given to the next one after this.
 */
export const STICKY_MS = 3_000;

/** A question that has no answer after this is asked anew, in milliseconds: before Temporal would hand it on. */
const ANEW_MS = STICKY_MS - 500;
/** So often; then it is waited for: a slow worker, or a workflow with a long history, takes its time. */
const TIMES = 3;
/** gRPC's number for a call whose time was over. */
const DEADLINE_EXCEEDED = 4;

/**
 * Asks a workflow, and asks anew what is not answered soon.
 *
 * Temporal offers a question to the worker that has the workflow at hand, and to any worker once that has not taken
 * it for `STICKY_MS`, with the history as it is by then. Where a workflow task was begun meanwhile and its worker never
 * heard of it, the SDK shows the workflow events that no task has brought yet, and others together with them when it is
 * replayed: such a workflow cannot go on (`TMPRL1100`, docs/faults.md). A question whose time is over is not handed on;
 * one that is asked anew waits for the task.
 */
export const askingAnew = (connection: Pick<ConnectionLike, 'withDeadline'>): WorkflowClientInterceptor => ({
  async query(input, next) {
    for (let times = 0; times < TIMES; times++) {
      try {
        return await connection.withDeadline(Date.now() + ANEW_MS, () => next(input));
      } catch (error) {
        if (!isLate(error)) throw error;
      }
    }
    return next(input);
  },
});

const isLate = (error: unknown): boolean =>
  error instanceof ServiceError && isGrpcServiceError(error.cause) && error.cause.code === DEADLINE_EXCEEDED;
