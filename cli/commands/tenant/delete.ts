import { defineCommand } from '../../command.js';
import { writeDocument } from '../../render/document.js';
import { reportDeclined } from '../../shared/declined.js';
import { needsYes } from '../../shared/needs-yes.js';

export const command = defineCommand({
  arguments: [['<tenant>', 'name of the tenant']],
  options: [{ flags: '--yes', about: 'delete it without a confirmation' }],
  details: 'A tenant with infras is not deleted. Its service accounts and their tokens are deleted with it.',
  examples: ['tenant delete acme'],
  async run(session, { args: [tenant], flags: { yes } }) {
    const { tenants } = await session.client();
    if (!yes) {
      needsYes(session, `delete the tenant ${tenant}`);
      const { accounts } = await tenants.get({ tenant });
      const about = accounts === 1 ? '1 service account' : `${accounts} service accounts`;
      if (!(await session.confirm(`${tenant} has ${about}.\nDelete it?`))) return reportDeclined(session);
    }
    const deleted = await tenants.delete({ tenant });
    if (session.json) writeDocument(session, { tenant, deleted: true, ...deleted });
    else session.out.write(`deleted: ${tenant}\n`);
    return 0;
  },
});
