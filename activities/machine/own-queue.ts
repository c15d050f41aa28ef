import { Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';

/** The type of a failure that only says on which queue an activity is to be done. */
export const ELSEWHERE = 'on-another-queue';

type Activity = (...args: never[]) => Promise<unknown>;

/**
 * The same activities, which send those of an account with a limit to the queue
 * of that account: what it is, only the worker knows, and it may change. The
 * workflow asks again there, and remembers.
 *
 * @param queueOf the queue of the account that an input is about, where it has one
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
