import * as z from 'zod';
import { deleteAccount, findAccount, HOME_TENANT } from '../../access/service-accounts.js';
import { method } from '../../method.js';
import { openRows } from '../../open-rows.js';
import { accountName, accountResource } from '../../schemas/service-account.js';

export const deleteServiceAccount = method({
  name: 'serviceAccounts.delete',
  summary: 'Delete a service account with its roles and tokens; its operations go on',
  input: z.strictObject({ account: accountName }),
  output: z.strictObject({ tokens: z.int().describe('Number of deleted tokens') }),
  permission: { action: 'service-account:delete', resource: accountResource },
  errors: ['store-failed', 'store-newer', 'store-unreachable', 'unknown-service-account'],
  async run({ engine }, { account }) {
    const what = 'delete the service account';
    const rows = await openRows(engine.stores, what);
    return { tokens: await deleteAccount(rows, await findAccount(rows, { tenant: HOME_TENANT, name: account }, what)) };
  },
});
