import { defineCommand } from '../../command.js';
import type { Session } from '../../program/session.js';
import { renderWaiting } from '../../render/result.js';
import { NO_WAIT } from '../../shared/answer.js';
import { REASON, reportDone } from '../../shared/control.js';
import { reportDeclined } from '../../shared/declined.js';
import { follow } from '../../shared/follow.js';

export const command = defineCommand({
  arguments: [['<operation>', 'id of the operation']],
  options: [
    { flags: '--plan <hash>', about: 'approve only the plan with this hash (see `workflow status`)' },
    { flags: '--reject', about: 'reject the plan: the operation ends and changes nothing (exit code 5)' },
    REASON,
    NO_WAIT,
  ],
  details:
    'For an operation that waits for an approval (approve: before-change or before-destroy, in the definition or by --approve). `workflow status` shows the plan and its hash; on a terminal this command shows it again and asks for confirmation. The plan is checked again before it runs: a different plan needs a new approval.',
  examples: [
    'workflow status OPERATION',
    'workflow approve OPERATION --plan 3f0c1b2a4d5e6f70',
    'workflow approve OPERATION --reject --reason "not on a Friday"',
  ],
  async run(session, { args: [operation = ''], flags }) {
    const approved = flags.reject !== true;
    const plan = flags.plan ?? (approved && session.interactive ? await planSeen(session, operation) : undefined);
    if (plan === false) return reportDeclined(session);
    await (await session.client()).operations.approve({ operation, approved, plan, why: flags.reason });
    if (flags.wait !== false) return follow(session, operation);
    return reportDone(session, operation, approved ? 'approved' : 'rejected');
  },
});

/** Returns the hash of the plan that the user confirmed, or false if the user declined. */
async function planSeen(session: Session, operation: string): Promise<string | undefined | false> {
  const progress = await (await session.client()).operations.progress({ operation });
  // The request below reports an operation that needs no approval.
  if (progress.question !== 'approval') return undefined;
  renderWaiting(progress, session.out);
  return (await session.confirm('Approve this plan?')) ? progress.planHash : false;
}
