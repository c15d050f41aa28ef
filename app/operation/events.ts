import { WorkflowNotFoundError } from '@temporalio/client';
import { diffValues } from '../../core/encoding/difference.js';
import type { OperationResult, Progress } from '../../core/operation/operation.js';
import type { Engine } from '../engine.js';
import type { Pace } from '../follow/poll-loop.js';
import { followState, SharedState } from '../follow/shared-state.js';
import { digestState, digestText, skipKnown } from '../follow/state-cursor.js';
import type { OperationEvent } from '../schemas/operation.js';
import { describeRun } from '../temporal/describe-run.js';
import { translateFault } from '../temporal/fault.js';
import { readEnd } from './ended.js';
import { awaitOperationResult, progressReader } from './state.js';

/** An operation that ends sooner is never queried. */
export const PACE: Pace = { firstMs: 700, everyMs: 400 };

/** One that is followed over the network and ends sooner is described, and not queried, in milliseconds. */
const GRACE_MS = 250;

type State = { progress: Progress } | { result: OperationResult };

/**
 * Streams the progress of an operation, until it ends or waits for a person. Adds nothing to its history. All
 * followers in this process share one reader. Each event is complete, so a continued stream begins with the present
 * state, unless the caller has it already.
 *
 * @param after the cursor of the last event that the caller has
 * @throws inputError `bad-cursor`, `unknown-operation`
 */
export function followEvents(
  engine: Engine,
  operation: string,
  { after, signal, pace = PACE }: { after?: string | undefined; signal?: AbortSignal; pace?: Pace },
): AsyncGenerator<OperationEvent> {
  const make = (onOver: () => void) => sharedState(engine, operation, { pace, onOver });
  return skipKnown(eventsOfStates(followState(engine.temporal, `operation ${operation}`, { make, signal })), after);
}

async function* eventsOfStates(states: AsyncIterable<State>): AsyncGenerator<OperationEvent[]> {
  for await (const state of states) yield eventsOf(state);
}

/** Events by state: all followers get the same ones, whose cursors are computed once. */
const known = new WeakMap<State, OperationEvent[]>();

function eventsOf(state: State): OperationEvent[] {
  const there = known.get(state);
  if (there) return there;
  const digest = digestState('result' in state ? state.result : state.progress);
  const at = (type: OperationEvent['type']) => ({ cursor: digestText(`${type} ${digest}`) });
  const events: OperationEvent[] =
    'result' in state
      ? [{ type: 'end', ...at('end'), result: state.result }]
      : [
          { type: 'progress', ...at('progress'), progress: state.progress },
          ...(state.progress.status === 'waiting'
            ? [{ type: 'waiting' as const, ...at('waiting'), progress: state.progress }]
            : []),
        ];
  known.set(state, events);
  return events;
}

function sharedState(engine: Engine, operation: string, { pace, onOver }: { pace: Pace; onOver: () => void }): SharedState<State> {
  let ended = false;
  // Without a follower the result is not needed, and Temporal need not hold the call of this process any longer.
  const wait = new AbortController();
  let end: Promise<OperationResult> | undefined;
  const begin = () => {
    end = awaitOperationResult(engine, operation, wait.signal).finally(() => {
      ended = true;
      shared.nudge();
    });
    end.catch(() => {});
    return end;
  };
  const look = progressReader(engine, operation);
  /** The first description also tells what the id belongs to: the wait needs no other one. */
  const lookFirst = async (): Promise<Progress | undefined> => {
    let failure: unknown;
    const run = await describeRun(engine.temporal, operation).catch((error: unknown) => {
      failure = error;
      return undefined;
    });
    await settleWithin(begin(), GRACE_MS);
    if (ended) return undefined;
    // If Temporal has forgotten the operation, the store may have its end, however slowly it answers.
    const kept = failure instanceof WorkflowNotFoundError ? await readEnd(engine, operation) : undefined;
    if (kept) return kept;
    if (failure !== undefined) throw translateFault(failure, operation);
    return look(run);
  };
  const shared: SharedState<State> = new SharedState<State>(
    {
      async read() {
        const progress = ended ? undefined : await (end ? look() : lookFirst());
        return progress ? { progress } : { result: await (end as Promise<OperationResult>) };
      },
      isSame: (before, now) => !diffValues(before, now),
      isLast: (state) => 'result' in state || state.progress.status === 'waiting',
    },
    pace,
    () => {
      wait.abort();
      onOver();
    },
  );
  // A wait that fails at once would be begun again at once, by each follower that comes back.
  if (!pace.together) begin();
  return shared;
}

/** Waits until a promise has settled, but only so long. */
async function settleWithin(promise: Promise<unknown>, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([promise.catch(() => {}), late]);
  clearTimeout(timer);
}
