import { defineCommand } from '../../command.js';
import { writeDocument } from '../../render/document.js';
import { reportDeclined } from '../../shared/declined.js';
import { needsYes } from '../../shared/needs-yes.js';

export const command = defineCommand({
  arguments: [['<account>', 'name of the service account']],
  options: [
    { flags: '--yes', about: 'delete it without a confirmation' },
    { flags: '--tenant <name>', about: 'tenant of the account, for administrators of the platform' },
  ],
  details: 'Its tokens are refused within five seconds. Operations that it started go on.',
  examples: ['service-account delete default/ci'],
  async run(session, { args: [account], flags: { yes, tenant } }) {
    const { serviceAccounts, tokens } = await session.client();
    const asked = { account, ...(tenant !== undefined && { tenant }) };
    if (!yes) {
      needsYes(session, `delete the service account ${account}`);
      const active = (await tokens.list(asked)).filter(({ state }) => state === 'active').length;
      const about = active === 1 ? '1 valid token' : `${active} valid tokens`;
      if (!(await session.confirm(`${account} has ${about}.\nDelete it?`))) return reportDeclined(session);
    }
    const deleted = await serviceAccounts.delete(asked);
    if (session.json) writeDocument(session, { account, deleted: true, ...deleted });
    else session.out.write(`deleted: ${account}\n`);
    return 0;
  },
});
