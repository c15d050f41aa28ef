import { type ConnectionLike, isGrpcServiceError, ServiceError, type WorkflowClientInterceptor } from '@temporalio/client';

/**
 * For how long a task waits in the sticky queue of the worker that has its workflow cached, in milliseconds. What a
 * dead worker was to go on with is given to the next one after this.
 */
export const STICKY_MS = 3_000;

/** A query that has no answer after this is repeated, in milliseconds: before Temporal would give it to another worker. */
const REPEAT_MS = STICKY_MS - 500;
/** So often; then it is waited for: a slow worker, or a workflow with a long history, takes its time. */
const TIMES = 3;
/** Timers may be so much early, in milliseconds. */
const CLOCK_MS = 100;
/** gRPC's numbers for a call whose time was over: DEADLINE_EXCEEDED, and CANCELLED where the client of the worker gave it up itself. */
const GIVEN_UP: readonly number[] = [4, 1];

/**
 * Repeats queries that are not answered soon.
 *
 * Temporal offers a query to the worker that has the workflow cached, and to any worker once that has not taken it
 * for `STICKY_MS`, with the history as it is by then. Where a workflow task was begun meanwhile and its worker never
 * heard of it, the SDK shows the workflow events that no task has brought yet, and others together with them when it is
 * replayed: such a workflow cannot go on (`TMPRL1100`, docs/decisions). A query whose deadline has passed is not given
 * to another worker; one that is repeated waits for the task.
 */
export const repeatLateQueries = (connection: Pick<ConnectionLike, 'withDeadline'>): WorkflowClientInterceptor => ({
  async query(input, next) {
    for (let times = 0; times < TIMES; times++) {
      const deadline = Date.now() + REPEAT_MS;
      try {
        return await connection.withDeadline(deadline, () => next(input));
      } catch (error) {
        if (!isGivenUp(error) || Date.now() < deadline - CLOCK_MS) throw error;
      }
    }
    return next(input);
  },
});

const isGivenUp = (error: unknown): boolean =>
  error instanceof ServiceError && isGrpcServiceError(error.cause) && GIVEN_UP.includes(error.cause.code);
