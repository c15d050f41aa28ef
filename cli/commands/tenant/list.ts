import { defineCommand } from '../../command.js';
import { paintFor } from '../../program/screen.js';
import { writeDocument } from '../../render/document.js';
import { renderTable } from '../../render/inventory.js';

export const command = defineCommand({
  details: 'The home itself is no tenant of the list.',
  examples: ['tenant list', 'tenant list --json'],
  async run(session) {
    const tenants = await (await session.client()).tenants.list({});
    if (session.json) {
      writeDocument(session, { tenants });
      return 0;
    }
    const rows = tenants.map(({ name, state, providers, created, about = '' }) => [
      ...[name, state, providers.join(', ')],
      ...[created.slice(0, 10), about],
    ]);
    session.out.write(renderTable(['TENANT', 'STATE', 'PROVIDERS', 'CREATED', 'ABOUT'], rows, 'no tenants', paintFor(session.out)));
    return 0;
  },
});
