import * as z from 'zod';
import { cancelBatch as cancel } from '../../batch/control.js';
import { method } from '../../method.js';
import { batchId, why } from '../../schemas/ids.js';

export const cancelBatch = method({
  name: 'batches.cancel',
  summary: 'Cancel a batch, or the operations that outlive it',
  input: z.strictObject({ batch: batchId, why }),
  output: z.string(),
  permission: { action: 'batch:cancel', resource: ({ batch }) => ({ type: 'Batch', id: batch }) },
  errors: ['already-stopping', 'no-answer', 'not-running', 'unknown-operation'],
  run: ({ engine, principal: { actor } }, { batch, why }) => cancel(engine, batch, { actor, why }),
});
