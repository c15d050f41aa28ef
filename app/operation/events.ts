import { diffValues } from '../../core/encoding/difference.js';
import type { OperationResult, Progress } from '../../core/operation/operation.js';
import type { Engine } from '../engine.js';
import type { Pace } from '../follow/poll-loop.js';
import { followState, SharedState } from '../follow/shared-state.js';
import { digestState, digestText, skipKnown } from '../follow/state-cursor.js';
import type { OperationEvent } from '../schemas/operation.js';
import { awaitOperationResult, progressReader } from './state.js';

/** An operation that ends sooner is never queried. */
export const PACE: Pace = { firstMs: 700, everyMs: 400 };

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
  return skipKnown(eventsOfStates(followState(engine, `operation ${operation}`, { make, signal })), after);
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
  const end = awaitOperationResult(engine, operation, wait.signal).finally(() => {
    ended = true;
    shared.nudge();
  });
  end.catch(() => {});
  const look = progressReader(engine, operation);
  const shared: SharedState<State> = new SharedState<State>(
    {
      read: async () => (ended ? { result: await end } : { progress: await look() }),
      isSame: (before, now) => !diffValues(before, now),
      isLast: (state) => 'result' in state || state.progress.status === 'waiting',
    },
    pace,
    () => {
      wait.abort();
      onOver();
    },
  );
  return shared;
}
