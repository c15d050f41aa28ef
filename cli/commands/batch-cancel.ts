import { batchAnswer } from '../batch-answer.js';

export const command = batchAnswer(
  'Begins nothing new and cancels what runs; with the policy rollback, what was done is taken back.',
  (client, id, by) => client.cancelBatch(id, by),
);
