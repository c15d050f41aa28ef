import { readChangedInput } from '../../../authoring/definition/changed-input.js';
import { defineCommand, NEW_INPUT, OPERATION } from '../../command.js';
import { answer, checkStopped } from '../../shared/answer.js';
import { REASON } from '../../shared/control.js';
import { repeat } from '../../shared/operate.js';

export const command = defineCommand({
  arguments: [['<operation>', 'id of the operation']],
  options: [...NEW_INPUT, REASON, ...OPERATION],
  details:
    'A waiting operation retries its failed step. An ended one is started again under a new id, and runs only the remaining steps. If the input was wrong, give other input with --file or --set: it is validated as in `apply`, and completed steps stay.',
  examples: [
    'workflow retry OPERATION',
    'workflow retry OPERATION --file shop.yaml',
    'workflow retry OPERATION --set db-1/redis.port=6390 --reason "the port was taken"',
  ],
  async run(session, { args: [operation = ''], flags }) {
    const client = await session.client();
    const progress = await client.operations.progress({ operation });
    if (progress.status !== 'waiting') checkStopped(progress, 'retry');
    const definition = await readChangedInput(session, flags, operation);
    if (progress.status === 'waiting') return answer(session, flags, operation, 'retry', definition);
    const request = await client.operations.request({ operation });
    return repeat(session, flags, definition ? { ...request, definition } : request);
  },
});
