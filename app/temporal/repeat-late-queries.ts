import { type ConnectionLike, isGrpcServiceError, ServiceError, type WorkflowClientInterceptor } from '@temporalio/client';

/**
 * Time that a task waits in the sticky queue of the worker that has its workflow cached, in milliseconds. After this
 * time the work of a dead worker goes to another one.
 */
export const STICKY_MS = 3_000;

/** A query that has no answer after this is repeated, in milliseconds: before Temporal would give it to another worker. */
const REPEAT_MS = STICKY_MS - 500;
/**
 * Number of tries with a limit. The last try has no limit, because a slow worker, or a workflow with a long history,
 * takes its time.
 */
const TIMES = 3;
/** Time by which timers may be early, in milliseconds. */
const CLOCK_MS = 100;
/**
 * gRPC's codes of a call whose time was over: DEADLINE_EXCEEDED, and CANCELLED if the worker's own client gave it up.
 */
const GIVEN_UP: readonly number[] = [4, 1];

/**
 * Repeats queries that are not answered soon.
 *
 * Temporal offers a query first to the worker that has the workflow cached. After `STICKY_MS` it offers the query,
 * with the history of that time, to any worker. If a workflow task was started by then and its worker never received
 * it, the SDK shows the workflow events that no task has delivered yet. A replay delivers them together with others,
 * so such a workflow cannot continue (`TMPRL1100`, docs/decisions). A query whose deadline has passed is not given to
 * another worker. A repeated query waits for the task.
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
