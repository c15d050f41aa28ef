import { addAbortListener } from 'node:events';
import { asyncLocalStorage, CompleteAsyncError, Context, type Info } from '@temporalio/activity';
import {
  ActivityCancelledError,
  ActivityNotFoundError,
  ActivityPausedError,
  ActivityResetError,
  type AsyncCompletionClient,
} from '@temporalio/client';
import { ApplicationFailure, CancelledFailure } from '@temporalio/common';
import type { ActivityInterceptorsFactory } from '@temporalio/worker';

/** These only wait for others. In a place of the worker they would keep those from their work. */
const WAITING: ReadonlySet<string> = new Set([
  ...['watchHolders', 'watchQueue', 'watchBatchQueue', 'watchBatchOperations', 'awaitBatchKept', 'removeEnvironment'],
]);

/** The longest pause between two signs of life, in milliseconds; shorter where a silence that long is taken for a death. */
const BEAT_MS = 10_000;

type Completions = Pick<AsyncCompletionClient, 'complete' | 'fail' | 'heartbeat' | 'reportCancellation'>;

/** Activities that wait beside the places of a worker. */
export interface PlacelessActivities {
  /** Comes first: what the others do, and the seal of the result, is done beside the places as well. */
  interceptor: ActivityInterceptorsFactory;
  /** How many wait now. */
  readonly size: number;
  /** Resolves once those that waited when the worker was told to end were handed back. */
  ended(): Promise<void>;
}

/**
 * Lets activities that only wait release their slot at once, and completes them later, as Temporal's asynchronous
 * completion does. Code in such an activity has its own context: heartbeats and cancellation work as usual.
 *
 * @param stopping aborted when the worker must end: waiting activities are handed to the next worker
 */
export function releasePlaces(completions: Completions, namespace: string, stopping: AbortSignal): PlacelessActivities {
  const waiting = new Set<Promise<void>>();
  return {
    interceptor: (context) => ({
      inbound: {
        async execute(input, next) {
          if (!WAITING.has(context.info.activityType) || context.info.isLocal) return next(input);
          const wait = waitBeside(context, () => next(input), { completions, namespace, stopping }).finally(() =>
            waiting.delete(wait),
          );
          waiting.add(wait);
          throw new CompleteAsyncError();
        },
      },
    }),
    get size() {
      return waiting.size;
    },
    async ended() {
      await Promise.all(waiting);
    },
  };
}

interface Beside {
  completions: Completions;
  namespace: string;
  stopping: AbortSignal;
}

/** Why a wait was cut short. `over`: Temporal does not want the answer any more. */
type Cut = 'canceled' | 'over' | 'handed back';

async function waitBeside(context: Context, work: () => Promise<unknown>, beside: Beside): Promise<void> {
  const { completions, stopping } = beside;
  const { info } = context;
  const { taskToken: token } = info;
  const options = { serializationContext: placeOf(info, beside.namespace) };
  let cut: Cut | undefined;
  let details: unknown = info.heartbeatDetails;
  const aborting = new AbortController();
  const end = (why: Cut) => {
    cut ??= why;
    aborting.abort(new CancelledFailure(why));
  };
  const handBack = () => end('handed back');
  const listening = addAbortListener(stopping, handBack);
  const beat = () => completions.heartbeat(token, details, options).catch((error: unknown) => heard(error, end));
  const pulse = setInterval(beat, Math.min(BEAT_MS, (info.heartbeatTimeoutMs ?? BEAT_MS) / 3));
  try {
    const own = contextOf(context, aborting.signal, (said) => {
      details = said;
    });
    const answer = await asyncLocalStorage.run(own, work);
    await completions.complete(token, answer, options);
  } catch (error) {
    const tell = async () => {
      if (cut === 'canceled') await completions.reportCancellation(token, undefined, options);
      else if (cut === 'handed back') await completions.fail(token, handedBack(), options);
      else if (cut === undefined) await completions.fail(token, error, options);
    };
    // Without an answer the missing signs of life have it tried again.
    await tell().catch(() => {});
  } finally {
    clearInterval(pulse);
    listening[Symbol.dispose]();
  }
}

/** The answer of Temporal to a heartbeat. If it cannot be reached, the next heartbeat gets the answer. */
function heard(error: unknown, end: (why: Cut) => void): void {
  if (error instanceof ActivityCancelledError) end('canceled');
  else if (error instanceof ActivityNotFoundError) end('over');
  else if (error instanceof ActivityPausedError || error instanceof ActivityResetError) end('handed back');
}

/** The same activity, which hears and says nothing by way of its former place. */
function contextOf(context: Context, signal: AbortSignal, heartbeat: (details: unknown) => void): Context {
  const cancelled = new Promise<never>((_, reject) => {
    addAbortListener(signal, () => reject(signal.reason));
  });
  cancelled.catch(() => {});
  const { info, log, metricMeter } = context;
  return new Context(info, cancelled, signal, heartbeat, undefined, log, metricMeter, {});
}

/** For whom the answer is sealed, as the worker itself has it. */
const placeOf = ({ workflowExecution, activityId, isLocal }: Info, namespace: string) =>
  ({ type: 'activity', namespace, workflowId: workflowExecution?.workflowId, activityId, isLocal }) as const;

const handedBack = () =>
  ApplicationFailure.create({ message: 'its worker has ended', type: 'worker-ended', nextRetryDelay: '1 s' });
