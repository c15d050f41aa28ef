import { batchAnswer } from '../../shared/batch-answer.js';

export const command = batchAnswer('Lets the next stage begin, where the batch waits before each of them.', (client, batch, why) =>
  client.batches.approve({ batch, why }),
);
