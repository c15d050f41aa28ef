import { batchAnswer } from '../../shared/batch-answer.js';

export const command = batchAnswer(
  'Leaves the failed operations failed and goes on with what does not need them. For a batch that asks about an unsigned cancel: begins nothing more, and leaves what was done.',
  (client, batch, why) => client.batches.decide({ batch, decision: 'keep', why }),
);
