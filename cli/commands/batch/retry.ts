import { batchAnswer } from '../../shared/batch-answer.js';

export const command = batchAnswer('Tries the failed operations again, each under a new id.', (client, id, by) =>
  client.decideBatch(id, 'retry', by),
);
