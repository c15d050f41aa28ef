import { answer, checkStopped } from '../answer.js';
import { type Command, OPERATION } from '../command.js';
import { repeat } from '../operate.js';

export const command: Command = {
  arguments: [['<operation>', 'id of the operation']],
  options: OPERATION,
  details:
    'One that waits tries its failed step again. One that has ended is started once more under a new id: only what is not yet done is done.',
  async run(session, { args: [operation = ''], flags }) {
    const client = await session.client();
    const progress = await client.progress(operation);
    if (progress.status === 'waiting') return answer(session, flags, operation, 'retry');
    checkStopped(progress, 'retry');
    return repeat(session, flags, await client.request(operation));
  },
};
