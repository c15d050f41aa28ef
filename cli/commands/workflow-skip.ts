import { answer, NO_WAIT } from '../answer.js';
import type { Command } from '../command.js';

export const command: Command = {
  arguments: [['<operation>', 'id of the operation']],
  options: [NO_WAIT],
  details: 'Only for an operation that waits after a failure (on-failure: ask).',
  run: (session, { args: [operation = ''], flags }) => answer(session, flags, operation, 'skip'),
};
