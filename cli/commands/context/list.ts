import { currentContext, findContext, listContexts, readToken } from '../../../home/contexts/contexts.js';
import { defineCommand } from '../../command.js';
import { paintFor } from '../../program/screen.js';
import { writeDocument } from '../../render/document.js';
import { tableOf } from '../../render/inventory.js';

export const command = defineCommand({
  details: 'The context in use has an asterisk. `provisioning context show` names the one that commands here use, and the reason.',
  examples: ['context list', 'context list --json'],
  async run(session) {
    const { home } = session;
    const current = currentContext(home);
    const contexts = listContexts(home).flatMap((name) => {
      const found = findContext(home, name);
      if (!found) return [];
      const { server, workspace } = found;
      const hasToken = readToken(home, name) !== undefined;
      return [{ context: name, server, ...(workspace !== undefined && { workspace }), current: name === current, login: hasToken }];
    });
    if (session.json) {
      writeDocument(session, { contexts });
      return 0;
    }
    const rows = contexts.map((one) => [
      one.current ? '*' : ' ',
      one.context,
      one.server,
      one.workspace ?? '',
      one.login ? 'yes' : 'no',
    ]);
    session.out.write(tableOf(['', 'CONTEXT', 'SERVER', 'WORKSPACE', 'LOGIN'], rows, 'no contexts', paintFor(session.out)));
    return 0;
  },
});
