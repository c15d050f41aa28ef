import * as z from 'zod';
import { describeAccount } from '../../access/describe.js';
import { listAccounts } from '../../access/service-accounts.js';
import { chooseTenant } from '../../access/tenants.js';
import { list, namedFields } from '../../lists/page.js';
import { pageByKey } from '../../lists/page-by-key.js';
import { openRows } from '../../open-rows.js';
import { workspace } from '../../schemas/ids.js';
import { accountsResource, listedAccount } from '../../schemas/service-account.js';
import { accountTenant } from '../../tenant/tenant-schema.js';

export const listServiceAccounts = list({
  name: 'serviceAccounts.list',
  summary: 'List service accounts with their roles',
  input: z.strictObject({
    ...namedFields,
    workspace: workspace.optional().describe('Only accounts of this workspace'),
    tenant: accountTenant,
  }),
  item: listedAccount,
  pages: { key: 'account' },
  permission: { action: 'service-account:read', resource: accountsResource },
  errors: ['store-failed', 'store-newer', 'store-unreachable', 'unknown-tenant'],
  async run({ engine, principal }, { workspace, tenant, ...asked }) {
    const rows = await openRows(engine.stores, 'list the service accounts');
    const chosen = await chooseTenant(rows, principal, tenant);
    const found = await listAccounts(rows, chosen, workspace);
    const items = found.map(({ account, bindings }) => describeAccount(account, bindings));
    return pageByKey(['serviceAccounts.list', workspace ?? '', chosen], items, { asked, keyOf: ({ account }) => account });
  },
});
