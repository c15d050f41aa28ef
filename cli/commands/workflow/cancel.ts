import { defineCommand } from '../../command.js';
import { writeDocument } from '../../render/document.js';
import { FORCE, force, REASON } from '../../shared/control.js';

export const command = defineCommand({
  arguments: [['<operation>', 'id of the operation']],
  options: [REASON, FORCE],
  details:
    'It stops after the current step; its on-failure policy says what becomes of what it has done. When that hangs, or rolling back fails again and again, --force gives up the current step: it is named as left, with the command that takes it away.',
  examples: ['workflow cancel OPERATION --reason "wrong plan"', 'workflow cancel OPERATION --force'],
  async run(session, { args: [operation = ''], flags }) {
    if (flags.force) return force(session, flags, operation);
    await (await session.client()).operations.cancel({ operation, why: flags.reason });
    if (session.json) writeDocument(session, { operation, canceling: true });
    else session.out.write(`canceling: ${operation}\nfollow it: provisioning workflow follow ${operation}\n`);
    return 0;
  },
});
