import { defineCommand } from '../../command.js';
import { paintFor } from '../../program/screen.js';
import { writeDocument } from '../../render/document.js';
import { renderTable } from '../../render/inventory.js';
import { listKnownAccounts } from '../../shared/platform/known-accounts.js';

export const command = defineCommand({
  details:
    'Accounts come from environment variables, secrets (`provisioning secret set hetzner/prod/token`), or\nfiles of the vendor. See docs/use/clouds.md.',
  examples: ['provider list', 'p list --json'],
  async run(session) {
    const known = await listKnownAccounts(session);
    if (session.json) {
      writeDocument(session, { providers: known.map(({ isFree: _, name: provider, ...row }) => ({ provider, ...row })) });
      return 0;
    }
    const lines = known.map(({ name, description, accounts, regions }) => [
      name,
      accounts.join(', ') || '–',
      regions.join(', '),
      description,
    ]);
    const head = ['PROVIDER', 'ACCOUNTS', 'REGIONS', ''];
    session.out.write(renderTable(head, lines, 'no providers', paintFor(session.out)));
    return 0;
  },
});
