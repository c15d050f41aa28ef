import { batchAnswer } from '../batch-answer.js';

export const command = batchAnswer(
  'Leaves the failed operations failed and goes on with what does not need them.',
  (client, id, by) => client.decideBatch(id, 'keep', by),
);
