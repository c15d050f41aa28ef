import * as z from 'zod';
import { sendToBatch } from '../../batch/control.js';
import { method } from '../../method.js';
import { decision } from '../../schemas/batch.js';
import { batchId, why } from '../../schemas/ids.js';

export const decideBatch = method({
  name: 'batches.decide',
  summary: 'Answer a batch that waits after failures',
  input: z.strictObject({ batch: batchId, decision, why }),
  output: z.string(),
  permission: { action: 'batch:decide', resource: ({ batch }) => ({ type: 'Batch', id: batch }) },
  errors: ['no-answer', 'not-waiting', 'unknown-operation'],
  run: ({ engine, principal: { actor } }, { batch, decision, why }) =>
    sendToBatch(engine, batch, 'decide', `answer "${decision}"`, { actor, why, decision }),
});
