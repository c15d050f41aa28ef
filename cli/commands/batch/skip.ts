import { batchAnswer } from '../../shared/batch-answer.js';

export const command = batchAnswer('Goes on without the failed operations; what needs them is skipped.', (client, batch, why) =>
  client.batches.decide({ batch, decision: 'skip', why }),
);
