import { diffValues } from '../../core/encoding/difference.js';
import type { Progress } from '../../core/operation/operation.js';
import type { Engine } from '../engine.js';
import type { Pace } from '../follow/poll-loop.js';
import { followState, SharedState } from '../follow/shared-state.js';
import type { OperationEvent } from '../schemas/operation.js';
import { awaitOperationResult, progressReader } from './state.js';

/** An operation that ends sooner is never asked how it goes. */
const PACE: Pace = { firstMs: 700, everyMs: 400 };

type State = { progress: Progress } | { end: Extract<OperationEvent, { type: 'end' }> };

/**
 * What becomes of an operation, until it ends or waits for a person. Adds nothing to its history. All who follow it
 * in this process share one reader.
 *
 * @throws inputError `unknown-operation`
 */
export async function* followEvents(
  engine: Engine,
  operation: string,
  { signal, pace = PACE }: { signal?: AbortSignal; pace?: Pace },
): AsyncGenerator<OperationEvent> {
  const make = (onOver: () => void) => sharedState(engine, operation, { pace, onOver });
  for await (const state of followState(engine, `operation ${operation}`, { make, signal })) {
    if ('end' in state) yield state.end;
    else {
      const { progress } = state;
      yield { type: 'progress', progress };
      if (progress.status === 'waiting') yield { type: 'waiting', progress };
    }
  }
}

function sharedState(engine: Engine, operation: string, { pace, onOver }: { pace: Pace; onOver: () => void }): SharedState<State> {
  let ended = false;
  const end = awaitOperationResult(engine, operation).finally(() => {
    ended = true;
    shared.nudge();
  });
  end.catch(() => {});
  const look = progressReader(engine, operation);
  const shared: SharedState<State> = new SharedState<State>(
    {
      read: async () => (ended ? { end: { type: 'end', result: await end } } : { progress: await look() }),
      isSame: (before, now) => !diffValues(before, now),
      isLast: (state) => 'end' in state || state.progress.status === 'waiting',
    },
    pace,
    onOver,
  );
  return shared;
}
