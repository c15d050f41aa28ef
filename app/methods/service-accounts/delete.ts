import * as z from 'zod';
import { keepAdministrator } from '../../access/last-administrator.js';
import { deleteAccount, findAccount } from '../../access/service-accounts.js';
import { chooseTenant } from '../../access/tenants.js';
import { editableAccount } from '../../conditions/editables.js';
import { method } from '../../method.js';
import { openRows } from '../../open-rows.js';
import { accountName, accountResource } from '../../schemas/service-account.js';
import { accountTenant } from '../../tenant/tenant-schema.js';

export const deleteServiceAccount = method({
  name: 'serviceAccounts.delete',
  summary: 'Delete a service account with its roles and tokens; its operations go on',
  input: z.strictObject({ account: accountName, tenant: accountTenant }),
  output: z.strictObject({ tokens: z.int().describe('Number of deleted tokens') }),
  permission: { action: 'service-account:delete', resource: accountResource },
  errors: [
    'last-administrator',
    'resource-busy',
    'store-failed',
    'store-newer',
    'store-unreachable',
    'unknown-service-account',
    'unknown-tenant',
  ],
  edits: editableAccount,
  async run({ engine, principal }, { account, tenant }) {
    const what = 'delete the service account';
    const rows = await openRows(engine.stores, what);
    const place = { tenant: await chooseTenant(rows, principal, tenant), name: account };
    const found = await findAccount(rows, place, what);
    const change = { what, on: account, account: found, removes: { account: found.id } };
    return { tokens: await keepAdministrator(rows, principal, change, () => deleteAccount(rows, found)) };
  },
});
