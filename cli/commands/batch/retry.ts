import { batchAnswer } from '../../shared/batch-answer.js';

export const command = batchAnswer('Tries the failed operations again, each under a new id.', (client, batch, why) =>
  client.batches.decide({ batch, decision: 'retry', why }),
);
