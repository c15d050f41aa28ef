import { Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';

/** Type of a failure that only names the queue for an activity. */
export const ELSEWHERE = 'on-another-queue';

type Activity = (...args: never[]) => Promise<unknown>;

/**
 * Wraps activities so that calls of a rate-limited account move to that account's queue. Only the worker knows the
 * queue, and it may change. The workflow repeats the request there, and remembers the queue.
 *
 * @param queueOf returns the queue of an input's account, if it has one
 */
export function routeToOwnQueue<T extends Record<string, Activity>>(
  activities: T,
  queueOf: (input: never) => string | undefined,
): T {
  const wrapped = Object.entries(activities).map(([name, activity]) => [
    name,
    async (...args: never[]) => {
      const queue = queueOf(args[0] as never);
      if (queue !== undefined && Context.current().info.taskQueue !== queue)
        throw ApplicationFailure.create({
          message: `to be done on the queue "${queue}", which keeps a limit`,
          type: ELSEWHERE,
          nonRetryable: true,
          details: [{ queue }],
        });
      return activity(...args);
    },
  ]);
  return Object.fromEntries(wrapped) as T;
}
