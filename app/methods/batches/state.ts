import * as z from 'zod';
import { readBatchState } from '../../batch/state.js';
import { method } from '../../method.js';
import { batchState } from '../../schemas/batch.js';
import { batchId } from '../../schemas/ids.js';

export const stateOfBatch = method({
  name: 'batches.state',
  summary: 'Show the state of a batch, or its result',
  input: z.strictObject({ batch: batchId }),
  output: batchState,
  permission: { action: 'batch:read', resource: ({ batch }) => ({ type: 'Batch', id: batch }) },
  rest: { verb: 'GET', path: '/batches/{batch}' },
  errors: ['unknown-operation'],
  run: ({ engine }, { batch }) => readBatchState(engine, batch),
});
