import { defineCommand } from '../../command.js';
import { followBatch } from '../../shared/follow-batch.js';

export const command = defineCommand({
  arguments: [['<batch>', 'id of the batch']],
  details: 'Ends when the batch ends or waits for a person. Ctrl-C leaves the batch running.',
  run: (session, { args: [id = ''] }) => followBatch(session, id),
});
