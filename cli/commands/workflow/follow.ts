import { defineCommand } from '../../command.js';
import { follow } from '../../shared/follow.js';

export const command = defineCommand({
  arguments: [['<operation>', 'id of the operation']],
  details: 'Ends with the exit code of the operation. Ctrl-C leaves the operation running (exit code 130).',
  run: (session, { args: [operation = ''] }) => follow(session, operation),
});
