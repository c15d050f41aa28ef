import type { BatchState } from '../../core/operation/batch.js';
import { countMarks } from '../../core/operation/batch-rows.js';
import type { Engine } from '../engine.js';
import type { Pace } from '../follow/poll-loop.js';
import { followState, SharedState } from '../follow/shared-state.js';
import { digestState, skipKnown } from '../follow/state-cursor.js';
import type { BatchEvent } from '../schemas/batch.js';
import { batchReader, ENDED_STATUSES } from './state.js';

export const PACE: Pace = { firstMs: 0, everyMs: 500 };

/**
 * Streams the states of a batch, until it waits for a person or ends, with the operations that outlive it. All
 * followers in this process share one reader. Each state is complete, so a continued stream begins with the present
 * state, unless the caller has it already.
 *
 * @param after the cursor of the last state that the caller has
 * @throws inputError `bad-cursor`, `unknown-operation`
 */
export function streamBatchEvents(
  engine: Engine,
  batch: string,
  { after, signal, pace = PACE }: { after?: string | undefined; signal?: AbortSignal; pace?: Pace },
): AsyncGenerator<BatchEvent> {
  const make = (onOver: () => void) => sharedEvents(engine, batch, { pace, onOver });
  return skipKnown(eachAlone(followState(engine.temporal, `batch ${batch}`, { make, signal })), after);
}

async function* eachAlone<Event>(events: AsyncIterable<Event>): AsyncGenerator<[Event]> {
  for await (const event of events) yield [event];
}

function sharedEvents(
  engine: Engine,
  batch: string,
  { pace, onOver }: { pace: Pace; onOver: () => void },
): SharedState<BatchEvent> {
  const look = batchReader(engine, batch);
  return new SharedState<BatchEvent>(
    {
      async read() {
        const state = await look();
        return { type: typeOf(state), cursor: digestState(state), state };
      },
      isSame: (before, now) => before.cursor === now.cursor,
      isLast: ({ type }) => type !== 'state',
    },
    pace,
    onOver,
  );
}

function typeOf({ status, cut, marks }: BatchState): BatchEvent['type'] {
  if (status === 'waiting') return 'waiting';
  if (!ENDED_STATUSES.includes(status)) return 'state';
  const { running = 0, undoing = 0 } = cut ? countMarks(marks) : {};
  return running + undoing > 0 ? 'state' : 'end';
}
