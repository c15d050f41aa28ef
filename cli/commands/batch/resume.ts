import { batchAnswer } from '../../shared/batch-answer.js';

export const command = batchAnswer(
  'Continues a batch that waits because Temporal was told to cancel it by an unsigned request.',
  (client, batch, why) => client.batches.decide({ batch, decision: 'resume', why }),
);
