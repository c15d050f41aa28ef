import * as z from 'zod';
import { awaitBatchResult } from '../../batch/state.js';
import { method } from '../../method.js';
import { batchState } from '../../schemas/batch.js';
import { batchId } from '../../schemas/ids.js';

export const resultOfBatch = method({
  name: 'batches.result',
  summary: 'Wait for the end of a batch',
  input: z.strictObject({ batch: batchId }),
  output: batchState,
  permission: { action: 'batch:read', resource: ({ batch }) => ({ type: 'Batch', id: batch }) },
  errors: ['unknown-operation'],
  run: ({ engine }, { batch }, { signal }) => awaitBatchResult(engine, batch, signal),
});
