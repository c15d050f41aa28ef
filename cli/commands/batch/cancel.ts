import { batchAnswer } from '../../shared/batch-answer.js';

export const command = batchAnswer(
  'Begins nothing new and cancels what runs; with the policy rollback, what was done is rolled back. Of a batch that was terminated from outside, it cancels what goes on without it.',
  (client, batch, why) => client.batches.cancel({ batch, why }),
);
