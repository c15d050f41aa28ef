import { unknownContext } from '../../../client/http/connection.js';
import { currentContext, findContext, removeContext } from '../../../home/contexts/contexts.js';
import { defineCommand } from '../../command.js';
import { writeDocument } from '../../render/document.js';
import { reportDeclined } from '../../shared/declined.js';
import { needsYes } from '../../shared/needs-yes.js';

export const command = defineCommand({
  arguments: [['<name>', 'name of the context']],
  options: [{ flags: '--yes', about: 'remove it without a confirmation' }],
  details: 'Forgets the server and its token on this machine. The token stays valid: revoke it with `provisioning token revoke`.',
  examples: ['context remove lab', 'context remove lab --yes'],
  async run(session, { args: [name], flags: { yes } }) {
    const { home } = session;
    if (!findContext(home, name)) throw unknownContext(home, name);
    if (!yes) {
      needsYes(session, `remove the context ${name}`);
      if (!(await session.confirm(`Remove the context ${name} and its token?`))) return reportDeclined(session);
    }
    const wasCurrent = currentContext(home) === name;
    removeContext(home, name);
    if (session.json) writeDocument(session, { context: name, removed: true });
    else session.out.write(`removed: ${name}\n${wasCurrent ? 'commands ask the engine of this machine\n' : ''}`);
    return 0;
  },
});
