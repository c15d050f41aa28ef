import { ROLES } from '../../../app/access/roles.js';
import { defineCommand } from '../../command.js';
import { writeDocument } from '../../render/document.js';
import { parseRole } from '../../shared/parse-role.js';

export const command = defineCommand({
  arguments: [
    ['<account>', 'name of the service account'],
    ['<role>', ROLES.join(', ')],
  ],
  options: [
    { flags: '--in <workspace>', about: "workspace of the role, or * for all (default: the account's workspace)" },
    { flags: '--tenant <name>', about: 'tenant of the account, for administrators of the platform' },
  ],
  details: 'The role ends within five seconds. Operations that the account started go on.',
  examples: ['service-account revoke default/ci deployer'],
  async run(session, { args: [account, role], flags }) {
    const bound = parseRole(account, role, flags.in);
    const answer = await (await session.client()).serviceAccounts.unbind({
      ...bound,
      ...(flags.tenant !== undefined && { tenant: flags.tenant }),
    });
    if (session.json) writeDocument(session, { ...bound, ...answer });
    else session.out.write(`${answer.removed ? 'revoked' : 'nothing to do'}: ${bound.role} in ${bound.workspace}\n`);
    return 0;
  },
});
