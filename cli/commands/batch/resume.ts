import { batchAnswer } from '../../shared/batch-answer.js';

export const command = batchAnswer(
  'Goes on with a batch that waits because Temporal was told to cancel it, and nobody signed that.',
  (client, batch, why) => client.batches.decide({ batch, decision: 'resume', why }),
);
