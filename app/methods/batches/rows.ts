import * as z from 'zod';
import { batchRowsOf } from '../../batch/state.js';
import { method } from '../../method.js';
import { batchRow, mark } from '../../schemas/batch.js';
import { batchId, limit } from '../../schemas/ids.js';

export const rowsOfBatch = method({
  name: 'batches.rows',
  summary: 'List record lines of a batch in order, at most 100 unless `limit` is set. Starts at an index and can filter by mark',
  input: z.strictObject({ batch: batchId, from: z.int().min(0).optional(), limit, marks: z.array(mark).optional() }),
  output: z.array(batchRow),
  permission: { action: 'batch:read', resource: ({ batch }) => ({ type: 'Batch', id: batch }) },
  errors: ['unknown-operation'],
  run: ({ engine }, { batch, ...page }) => batchRowsOf(engine, batch, page),
});
