import { listKnownAccounts } from '../../../authoring/catalog/provider-account.js';
import { defineCommand } from '../../command.js';
import { paintFor } from '../../program/screen.js';
import { writeDocument } from '../../render/document.js';
import { tableOf } from '../../render/inventory.js';

export const command = defineCommand({
  details:
    'Accounts come from environment variables, secrets (`provisioning secret set hetzner/prod/token`), or\nfiles of the vendor. See docs/use/clouds.md.',
  examples: ['provider list', 'p list --json'],
  async run(session) {
    const known = await listKnownAccounts(session);
    if (session.json) {
      const rows = known.map(({ provider, accounts }) => ({
        provider: provider.name,
        description: provider.description,
        accounts,
        sizes: Object.fromEntries(Object.entries(provider.sizes).map(([size, { name }]) => [size, name])),
        regions: Object.keys(provider.regions ?? {}),
        features: provider.features ?? [],
        images: provider.images.supported,
      }));
      writeDocument(session, { providers: rows });
      return 0;
    }
    const lines = known.map(({ provider, accounts }) => [
      provider.name,
      accounts.join(', ') || '–',
      Object.keys(provider.regions ?? {}).join(', '),
      provider.description,
    ]);
    const head = ['PROVIDER', 'ACCOUNTS', 'REGIONS', ''];
    session.out.write(tableOf(head, lines, 'no providers', paintFor(session.out)));
    return 0;
  },
});
