import * as z from 'zod';
import { describeAccount } from '../../access/describe.js';
import { HOME_TENANT, listAccounts } from '../../access/service-accounts.js';
import { list, namedFields } from '../../lists/page.js';
import { pageByKey } from '../../lists/page-by-key.js';
import { openRows } from '../../open-rows.js';
import { workspace } from '../../schemas/ids.js';
import { accountsResource, listedAccount } from '../../schemas/service-account.js';

export const listServiceAccounts = list({
  name: 'serviceAccounts.list',
  summary: 'List service accounts with their roles',
  input: z.strictObject({ ...namedFields, workspace: workspace.optional().describe('Only accounts of this workspace') }),
  item: listedAccount,
  pages: { key: 'account' },
  permission: { action: 'service-account:read', resource: accountsResource },
  errors: ['store-failed', 'store-newer', 'store-unreachable'],
  async run({ engine }, { workspace, ...asked }) {
    const rows = await openRows(engine.stores, 'list the service accounts');
    const found = await listAccounts(rows, HOME_TENANT, workspace);
    const items = found.map(({ account, bindings }) => describeAccount(account, bindings));
    return pageByKey(['serviceAccounts.list', workspace ?? ''], items, { asked, keyOf: ({ account }) => account });
  },
});
