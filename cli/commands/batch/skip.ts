import { batchAnswer } from '../../shared/batch-answer.js';

export const command = batchAnswer('Goes on without the failed operations; what needs them is skipped.', (client, id, by) =>
  client.decideBatch(id, 'skip', by),
);
