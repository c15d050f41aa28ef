import { defineCommand } from '../../command.js';
import { paintFor } from '../../program/screen.js';
import { writeDocument } from '../../render/document.js';
import { renderTable } from '../../render/inventory.js';
import { nameTenant, TENANT_OPTION } from '../../shared/limits/limited-tenant.js';

export const command = defineCommand({
  options: [{ flags: '--scope <workspace>', about: 'only what concerns this workspace' }, TENANT_OPTION],
  details: '`*` stands for all workspaces.',
  examples: ['freeze list', 'freeze list --scope default --json', 'freeze list --tenant acme'],
  async run(session, { flags: { scope, tenant } }) {
    const { freezes } = await session.client();
    const found = await freezes.list({ ...(scope !== undefined && { workspace: scope }), ...nameTenant(tenant) });
    if (session.json) {
      writeDocument(session, { freezes: found });
      return 0;
    }
    const rows = found.map(({ place, since, by, reason }) => [place, since, by, reason]);
    session.out.write(renderTable(['PLACE', 'SINCE', 'BY', 'REASON'], rows, 'nothing is frozen', paintFor(session.out)));
    return 0;
  },
});
