import { defineCommand } from '../../command.js';
import { paintFor } from '../../program/screen.js';
import { writeDocument } from '../../render/document.js';
import { renderTable } from '../../render/inventory.js';
import { nameTenant, TENANT_OPTION } from '../../shared/limits/limited-tenant.js';

export const command = defineCommand({
  options: [TENANT_OPTION],
  details: '`*` stands for all workspaces together.',
  examples: ['quota list', 'quota list --json', 'quota list --tenant acme'],
  async run(session, { flags: { tenant } }) {
    const found = await (await session.client()).quotas.list(nameTenant(tenant));
    if (session.json) {
      writeDocument(session, { quotas: found });
      return 0;
    }
    const rows = found.map(({ workspace, operations, servers, monthly }) => [
      workspace,
      String(operations ?? ''),
      String(servers ?? ''),
      monthly ? `${monthly.amount} ${monthly.currency}` : '',
    ]);
    const head = ['WORKSPACE', 'OPERATIONS', 'SERVERS', 'MONTHLY'];
    session.out.write(renderTable(head, rows, 'no quotas', paintFor(session.out)));
    return 0;
  },
});
