import { defineCommand } from '../../command.js';
import { paintFor } from '../../program/screen.js';
import { writeDocument } from '../../render/document.js';
import { quotaTable } from '../../shared/limits/quota-table.js';

export const command = defineCommand({
  arguments: [['<workspace>', 'name of the workspace, or * for all workspaces together']],
  details: 'The quota of all workspaces together, `*`, counts for each of them.',
  examples: ['quota show default', "quota show '*' --json"],
  async run(session, { args: [workspace] }) {
    const uses = await (await session.client()).quotas.get({ workspace });
    if (session.json) writeDocument(session, { quota: uses });
    else session.out.write(quotaTable(uses, paintFor(session.out)));
    return 0;
  },
});
