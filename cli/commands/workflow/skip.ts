import { defineCommand } from '../../command.js';
import { answer, NO_WAIT } from '../../shared/answer.js';
import { REASON } from '../../shared/control.js';

export const command = defineCommand({
  arguments: [['<operation>', 'id of the operation']],
  options: [REASON, NO_WAIT],
  details:
    'Only for an operation that waits after a failure (on-failure: ask) or a time-out (on-timeout: ask), also within a roll-back. Steps that depend on it are skipped as well, with the reason.',
  run: (session, { args: [operation = ''], flags }) => answer(session, flags, operation, 'skip'),
});
