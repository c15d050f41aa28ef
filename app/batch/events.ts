import { createHash } from 'node:crypto';
import { canonical } from '../../core/encoding/hash.js';
import type { BatchState } from '../../core/operation/batch.js';
import { countMarks } from '../../core/operation/batch-rows.js';
import type { Engine } from '../engine.js';
import type { Pace } from '../follow/poll-loop.js';
import { followState, SharedState } from '../follow/shared-state.js';
import { badCursor } from '../lists/bad-cursor.js';
import type { BatchEvent } from '../schemas/batch.js';
import { batchReader, ENDED } from './state.js';

const PACE: Pace = { firstMs: 0, everyMs: 500 };

/**
 * The states of a batch, until it waits for a person or ends, with the operations that outlive it. All who follow it in
 * this process share one reader. A state has all that was before, so a stream that continues begins with the state of
 * now, unless it is the one that the caller has.
 *
 * @param after the cursor of the last state that the caller has
 * @throws inputError `bad-cursor`, `unknown-operation`
 */
export async function* batchEventsOf(
  engine: Engine,
  batch: string,
  { after, signal, pace = PACE }: { after?: string | undefined; signal?: AbortSignal; pace?: Pace },
): AsyncGenerator<BatchEvent> {
  if (after !== undefined && !/^[\w-]{43}$/.test(after)) throw badCursor('the text is not a cursor');
  const make = (onOver: () => void) => sharedEvents(engine, batch, { pace, onOver });
  for await (const event of followState(engine, `batch ${batch}`, { make, signal })) if (event.cursor !== after) yield event;
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
        return { type: typeOf(state), cursor: cursorOf(state), state };
      },
      isSame: (before, now) => before.cursor === now.cursor,
      isLast: ({ type }) => type !== 'state',
    },
    pace,
    onOver,
  );
}

/** What any instance finds out about a state by itself. */
const cursorOf = (state: BatchState): string => createHash('sha256').update(canonical(state)).digest('base64url');

function typeOf({ status, cut, marks }: BatchState): BatchEvent['type'] {
  if (status === 'waiting') return 'waiting';
  if (!ENDED.includes(status)) return 'state';
  const { running = 0, undoing = 0 } = cut ? countMarks(marks) : {};
  return running + undoing > 0 ? 'state' : 'end';
}
