import * as z from 'zod';
import { sendToBatch } from '../../batch/control.js';
import { method } from '../../method.js';
import { batchId, why } from '../../schemas/ids.js';

export const approveBatch = method({
  name: 'batches.approve',
  summary: 'Approve the next stage of a batch',
  input: z.strictObject({ batch: batchId, why }),
  output: z.string(),
  permission: { action: 'batch:approve', resource: ({ batch }) => ({ type: 'Batch', id: batch }) },
  errors: ['no-answer', 'not-waiting', 'unknown-operation'],
  run: ({ engine, principal: { actor } }, { batch, why }) =>
    sendToBatch(engine, batch, 'approve', 'approve the next stage', { actor, why }),
});
