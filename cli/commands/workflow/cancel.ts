import { defineCommand } from '../../command.js';
import { writeDocument } from '../../render/document.js';
import { FORCE, force, REASON } from '../../shared/control.js';

export const command = defineCommand({
  arguments: [['<operation>', 'id of the operation']],
  options: [REASON, FORCE],
  details:
    'The operation stops after the current step; its on-failure policy decides about the completed steps. If a step hangs, or rolling back keeps failing, --force abandons the current step. The result lists it as left behind, with the command that removes it.',
  examples: ['workflow cancel OPERATION --reason "wrong plan"', 'workflow cancel OPERATION --force'],
  async run(session, { args: [operation = ''], flags }) {
    if (flags.force) return force(session, flags, operation);
    await (await session.client()).operations.cancel({ operation, why: flags.reason });
    if (session.json) writeDocument(session, { operation, canceling: true });
    else session.out.write(`canceling: ${operation}\nfollow it: provisioning workflow follow ${operation}\n`);
    return 0;
  },
});
