import {
  ApplicationFailure,
  isCancellation,
  type LocalActivityOptions,
  proxyActivities,
  proxyLocalActivities,
  TimeoutFailure,
} from '@temporalio/workflow';
import type { Activities } from '../activities/index.js';
import type { Lock } from '../core/infra/lock.js';
import type { Outage } from '../core/infra/outage.js';
import type {} from './fence.js';
import { describeFailure } from './operation/failures.js';

/**
 * Attempts within the workflow's own task, which save a turn. Each further one would add six events to the history every
 * ten seconds: 51,200 events, the most that Temporal allows, are reached within a day.
 */
const NEAR_ATTEMPTS = 4;

/** Last resort: the server repeats the attempt, and writes nothing into the history. */
const queued = proxyActivities<Activities>({
  startToCloseTimeout: '1 minute',
  retry: { initialInterval: '1 s', maximumInterval: '1 minute' },
});

const NEAR: LocalActivityOptions = {
  startToCloseTimeout: '20 s',
  retry: { initialInterval: '200 ms', maximumInterval: '2 s' },
  localRetryThreshold: '5 s',
};

type Name = keyof Activities;
type Answer<N extends Name> = Awaited<ReturnType<Activities[N]>>;

export interface HowNear {
  /** The lock under which it is done. */
  under?: () => Lock;
  /** In the Web UI, for the attempts by the queue. */
  summary?: string;
  /** Receives what keeps it waiting, and undefined once it is done or has failed for good. */
  say?(outage: Outage | undefined): void;
  /** Other time-outs and pauses of the attempts within the workflow's own task. */
  near?: LocalActivityOptions;
}

/**
 * Runs an activity until it succeeds or fails for good: first from within the workflow's own task, then by the queue.
 *
 * Histories of former builds replay without a patch: their retries stand there with the pauses that follow, and none of
 * them gave up.
 */
export async function callNearOrQueued<N extends Name>(
  name: N,
  args: Parameters<Activities[N]>,
  { under, summary, say, near }: HowNear = {},
): Promise<Answer<N>> {
  const options = { ...NEAR, ...near };
  const nearby = proxyLocalActivities<Activities>({ ...options, retry: { ...options.retry, maximumAttempts: NEAR_ATTEMPTS } });
  const lock = under && { under };
  try {
    return await run<Answer<N>>(nearby[name], { ...lock }, args);
  } catch (error) {
    if (!mayPass(error)) throw error;
    say?.({ since: new Date(Date.now()).toISOString(), why: describeFailure(error, { step: name, on: '' }).why });
  }
  try {
    return await run<Answer<N>>(queued[name], { ...lock, ...(summary !== undefined && { summary }) }, args);
  } finally {
    say?.(undefined);
  }
}

/** Both kinds of activities have this method; no type of the SDK says so for a name that is only known when it runs. */
const run = <T>(activity: unknown, options: object, args: unknown[]): Promise<T> =>
  (activity as { executeWithOptions(options: object, args: unknown[]): Promise<T> }).executeWithOptions(options, args);

/** Whether another attempt may succeed. A local activity fails with the failure itself, any other one with an `ActivityFailure`. */
export function mayPass(error: unknown): boolean {
  if (isCancellation(error)) return false;
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof ApplicationFailure) return !cause.nonRetryable;
    if (cause instanceof TimeoutFailure) return true;
  }
  return false;
}
