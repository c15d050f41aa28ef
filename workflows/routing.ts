import { ActivityFailure, type ActivityOptions, ApplicationFailure, proxyActivities } from '@temporalio/workflow';
import type { Activities } from '../activities/index.js';

/** Answer of a worker if the account has its own queue (activities/machine/own-queue.ts). */
const ELSEWHERE = 'on-another-queue';

type Input<K extends keyof Activities> = Parameters<Activities[K]>;
type Answer<K extends keyof Activities> = ReturnType<Activities[K]>;
/** An activity as workflows call it. */
export interface Callable<K extends keyof Activities> {
  (...args: Input<K>): Answer<K>;
  executeWithOptions(options: ActivityOptions, args: Input<K>): Answer<K>;
}

/** Finds the way to accounts that have a queue of their own; learns it once for each, from the worker. */
export function router() {
  const queues = new Map<string, string>();

  /**
   * The activity, done on the queue of the account that its input is about.
   *
   * @param first how it is done where no queue is known
   * @param options with which it is done on a queue of its own
   */
  return function routed<K extends keyof Activities>(
    name: K,
    first: unknown,
    options: ActivityOptions,
    accountOf: (...args: Input<K>) => string,
  ): Callable<K> {
    const here = first as Callable<K>;
    const run = async (more: ActivityOptions, args: Input<K>): Promise<unknown> => {
      const account = accountOf(...args);
      if (!queues.has(account)) {
        try {
          return await here.executeWithOptions(more, args);
        } catch (error) {
          const queue = queueIn(error);
          if (queue === undefined) throw error;
          queues.set(account, queue);
        }
      }
      const there = proxyActivities<Activities>({ ...options, taskQueue: queues.get(account) });
      return (there[name] as unknown as Callable<K>).executeWithOptions(more, args);
    };
    return Object.assign((...args: Input<K>) => run({}, args), { executeWithOptions: run }) as unknown as Callable<K>;
  };
}

function queueIn(error: unknown): string | undefined {
  if (!(error instanceof ActivityFailure) || !(error.cause instanceof ApplicationFailure)) return undefined;
  const { type, details } = error.cause;
  return type === ELSEWHERE ? (details?.[0] as { queue: string } | undefined)?.queue : undefined;
}
