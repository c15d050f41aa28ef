import { activeName, allRegistered } from '../../../home/workspaces/registry.js';
import { findTrouble } from '../../../settings/workspaces/find-trouble.js';
import { defineCommand } from '../../command.js';
import { paintFor } from '../../program/screen.js';
import { writeDocument } from '../../render/document.js';
import { renderTable } from '../../render/inventory.js';

export const command = defineCommand({
  details: 'Lists the workspaces of this machine with their folders; * marks the active one.',
  examples: ['workspace list', 'ws list --json'],
  async run(session) {
    const active = activeName(session.home);
    const all = await Promise.all(
      allRegistered(session.home).map(async (one) => ({ ...one, active: one.name === active, trouble: await findTrouble(one) })),
    );
    if (session.json) {
      writeDocument(session, { workspaces: all.map(({ name: workspace, ...one }) => ({ workspace, ...one })) });
      return 0;
    }
    const paint = paintFor(session.out);
    const rows = all.map(({ name, folder, lastUsed, active: isActive, trouble }) => [
      `${isActive ? '*' : ' '} ${name}`,
      lastUsed.slice(0, 16).replace('T', ' '),
      trouble ? paint('red', trouble.why) : folder,
    ]);
    const none = 'no workspaces: provisioning workspace init NAME makes one';
    session.out.write(renderTable(['  NAME', 'LAST USED', 'FOLDER'], rows, none, paint));
    for (const { trouble } of all) if (trouble) session.err.write(`hint: ${trouble.hint}\n`);
    return 0;
  },
});
