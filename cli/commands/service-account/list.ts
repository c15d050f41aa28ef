import { defineCommand } from '../../command.js';
import { paintFor } from '../../program/screen.js';
import { writeDocument } from '../../render/document.js';
import { renderTable } from '../../render/inventory.js';

export const command = defineCommand({
  options: [
    { flags: '--scope <workspace>', about: 'only accounts of this workspace' },
    { flags: '--tenant <name>', about: 'accounts of this tenant, for administrators of the platform' },
  ],
  details: 'A role is shown with its workspace; `*` stands for all workspaces.',
  examples: ['service-account list', 'service-account list --scope default --json'],
  async run(session, { flags: { scope, tenant } }) {
    const { serviceAccounts } = await session.client();
    const accounts = await serviceAccounts.list({
      ...(scope !== undefined && { workspace: scope }),
      ...(tenant !== undefined && { tenant }),
    });
    if (session.json) {
      writeDocument(session, { accounts });
      return 0;
    }
    const rows = accounts.map(({ account, roles, created, about = '' }) => [
      account,
      roles.map(({ role, workspace }) => `${role} in ${workspace}`).join(', '),
      created.slice(0, 10),
      about,
    ]);
    const none = 'no service accounts';
    session.out.write(renderTable(['ACCOUNT', 'ROLES', 'CREATED', 'ABOUT'], rows, none, paintFor(session.out)));
    return 0;
  },
});
