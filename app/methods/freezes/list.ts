import * as z from 'zod';
import { showWorkspace } from '../../../core/tenant-names.js';
import { EVERYWHERE } from '../../access/roles.js';
import { chooseTenant } from '../../access/tenants.js';
import { describeFreeze } from '../../limits/describe-freeze.js';
import { listedFreeze } from '../../limits/freeze-schemas.js';
import { readFreezes } from '../../limits/freezes.js';
import { limitedTenant, nameLimitedResource } from '../../limits/limited-place.js';
import { list, namedFields } from '../../lists/page.js';
import { pageByKey } from '../../lists/page-by-key.js';
import { openRows } from '../../open-rows.js';
import { boundWorkspace } from '../../schemas/service-account.js';

export const listFreezes = list({
  name: 'freezes.list',
  summary: 'List what is frozen, with the reasons',
  input: z.strictObject({
    ...namedFields,
    workspace: boundWorkspace.optional().describe('Only what concerns this workspace; default: all workspaces'),
    tenant: limitedTenant,
  }),
  item: listedFreeze,
  pages: { key: 'place' },
  permission: {
    action: 'freeze:read',
    resource: nameLimitedResource,
  },
  errors: ['store-failed', 'store-newer', 'store-unreachable', 'unknown-tenant'],
  async run({ engine, principal }, { workspace = EVERYWHERE, tenant: named, ...asked }) {
    const rows = await openRows(engine.stores, 'list the freezes');
    const tenant = await chooseTenant(rows, principal, named);
    const all = (await readFreezes(rows)).map(({ row }) => row);
    const isMeant = (at: string) => workspace === EVERYWHERE || at === workspace || at === EVERYWHERE;
    const items = all
      .filter((one) => one.tenant === tenant && one.endedAt === undefined && isMeant(showWorkspace(one.workspace)))
      .map(describeFreeze);
    return pageByKey(['freezes.list', workspace, tenant], items, { asked, keyOf: ({ place }) => place });
  },
});
