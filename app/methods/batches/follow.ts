import * as z from 'zod';
import { PACE, streamBatchEvents } from '../../batch/events.js';
import { choosePace } from '../../follow/choose-pace.js';
import { stateCursor } from '../../follow/state-cursor.js';
import { stream } from '../../method.js';
import { batchEvent } from '../../schemas/batch.js';
import { batchId } from '../../schemas/ids.js';

export const followBatch = stream({
  name: 'batches.follow',
  summary: 'Stream the states of a batch until it ends or waits for a person',
  input: z.strictObject({ batch: batchId, after: stateCursor }),
  output: batchEvent,
  permission: { action: 'batch:read', resource: ({ batch }) => ({ type: 'Batch', id: batch }) },
  errors: ['bad-cursor', 'unknown-operation'],
  run: (caller, { batch, after }, options) =>
    streamBatchEvents(caller.engine, batch, { after, ...options, pace: choosePace(caller, PACE) }),
});
