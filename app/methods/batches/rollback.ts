import * as z from 'zod';
import { rollBackBatch } from '../../batch/control.js';
import { method } from '../../method.js';
import { signRequest } from '../../principal.js';
import { batchId, why } from '../../schemas/ids.js';

export const rollbackBatch = method({
  name: 'batches.rollback',
  summary: 'Roll back an ended batch by a new batch',
  input: z.strictObject({ batch: batchId, as: batchId.describe('Id of the batch that rolls it back'), why }),
  output: z.strictObject({ batch: z.string() }),
  permission: { action: 'batch:rollback', resource: ({ batch }) => ({ type: 'Batch', id: batch }) },
  errors: ['operation-exists', 'still-running', 'unknown-operation'],
  startedBefore: ({ as }) => ({ id: as, answer: { batch: as } }),
  run: ({ engine, principal }, { batch, as, why }) => rollBackBatch(engine, batch, as, { ...signRequest(principal), why }),
});
