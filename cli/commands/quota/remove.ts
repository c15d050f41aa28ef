import { defineCommand } from '../../command.js';
import { writeDocument } from '../../render/document.js';
import { reportDeclined } from '../../shared/declined.js';
import { describeLimited, readLimitedWorkspace, TENANT_OPTION } from '../../shared/limits/limited-tenant.js';
import { needsYes } from '../../shared/needs-yes.js';

export const command = defineCommand({
  arguments: [['[workspace]', 'name of the workspace, or * for all workspaces together']],
  options: [TENANT_OPTION, { flags: '--yes', about: 'remove it without a confirmation' }],
  details:
    'Nothing is limited there any more, but for the quota of all workspaces together. With --tenant and without a workspace, all workspaces of the tenant count together.',
  examples: ['quota remove default', 'quota remove --tenant acme'],
  async run(session, { args: [workspace], flags: { yes, tenant } }) {
    const place = readLimitedWorkspace(workspace, tenant);
    const on = describeLimited(place.workspace, tenant);
    if (!yes) {
      needsYes(session, `remove the quota of ${on}`);
      if (!(await session.confirm(`Remove the quota of ${on}?`))) return reportDeclined(session);
    }
    await (await session.client()).quotas.remove(place);
    if (session.json) writeDocument(session, place);
    else session.out.write(`quota removed: ${on}\n`);
    return 0;
  },
});
