import type { Command } from '../command.js';
import { writeDocument } from '../render/document.js';

export const command: Command = {
  arguments: [['<operation>', 'id of the operation']],
  details: 'Its on-failure policy says what becomes of what it has done.',
  async run(session, { args: [operation = ''] }) {
    await (await session.client()).cancel(operation, session.actor);
    if (session.json) writeDocument(session, { operation, canceling: true });
    else session.out.write(`canceling: ${operation}\nfollow it: provisioning workflow follow ${operation}\n`);
    return 0;
  },
};
