import { defineCommand } from '../../command.js';
import { paintFor } from '../../program/screen.js';
import { writeDocument } from '../../render/document.js';
import { readLimitedWorkspace, TENANT_OPTION } from '../../shared/limits/limited-tenant.js';
import { quotaTable } from '../../shared/limits/quota-table.js';

export const command = defineCommand({
  arguments: [['[workspace]', 'name of the workspace, or * for all workspaces together']],
  options: [TENANT_OPTION],
  details:
    'The quota of all workspaces together, `*`, counts for each of them. With --tenant and without a workspace, all workspaces of the tenant count together.',
  examples: ['quota show default', "quota show '*' --json", 'quota show default --tenant acme'],
  async run(session, { args: [workspace], flags: { tenant } }) {
    const uses = await (await session.client()).quotas.get(readLimitedWorkspace(workspace, tenant));
    if (session.json) writeDocument(session, { quota: uses });
    else session.out.write(quotaTable(uses, paintFor(session.out)));
    return 0;
  },
});
