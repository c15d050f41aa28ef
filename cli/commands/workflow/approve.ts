import { defineCommand } from '../../command.js';
import { NO_WAIT } from '../../shared/answer.js';
import { REASON, said } from '../../shared/control.js';
import { follow } from '../../shared/follow.js';

export const command = defineCommand({
  arguments: [['<operation>', 'id of the operation']],
  options: [{ flags: '--reject', about: 'reject the plan: the operation ends and changes nothing (exit code 5)' }, REASON, NO_WAIT],
  details:
    'For an operation that waits for an approval (approve: before-change or before-destroy, in the definition or by --approve). `workflow status` shows the plan that is approved; it is looked at again before it is done.',
  examples: [
    'workflow status OPERATION',
    'workflow approve OPERATION',
    'workflow approve OPERATION --reject --reason "not on a Friday"',
  ],
  async run(session, { args: [operation = ''], flags }) {
    const approved = flags.reject !== true;
    await (await session.client()).operations.approve({ operation, approved, why: flags.reason });
    if (flags.wait !== false) return follow(session, operation);
    return said(session, operation, approved ? 'approved' : 'rejected');
  },
});
