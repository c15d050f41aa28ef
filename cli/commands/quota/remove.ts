import { defineCommand } from '../../command.js';
import { writeDocument } from '../../render/document.js';
import { reportDeclined } from '../../shared/declined.js';
import { needsYes } from '../../shared/needs-yes.js';

export const command = defineCommand({
  arguments: [['<workspace>', 'name of the workspace, or * for all workspaces together']],
  options: [{ flags: '--yes', about: 'remove it without a confirmation' }],
  details: 'Nothing is limited there any more, but for the quota of all workspaces together.',
  examples: ['quota remove default'],
  async run(session, { args: [workspace], flags: { yes } }) {
    if (!yes) {
      needsYes(session, `remove the quota of ${workspace}`);
      if (!(await session.confirm(`Remove the quota of ${workspace}?`))) return reportDeclined(session);
    }
    await (await session.client()).quotas.remove({ workspace });
    if (session.json) writeDocument(session, { workspace });
    else session.out.write(`quota removed: ${workspace}\n`);
    return 0;
  },
});
