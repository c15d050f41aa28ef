import * as z from 'zod';
import { describeAccount } from '../../access/describe.js';
import { findAccount, listBindings } from '../../access/service-accounts.js';
import { chooseTenant } from '../../access/tenants.js';
import { editableAccount } from '../../conditions/editables.js';
import { method } from '../../method.js';
import { openRows } from '../../open-rows.js';
import { accountName, accountResource, listedAccount } from '../../schemas/service-account.js';
import { accountTenant } from '../../tenant/tenant-schema.js';

export const getServiceAccount = method({
  name: 'serviceAccounts.get',
  summary: 'Show a service account with its roles',
  input: z.strictObject({ account: accountName, tenant: accountTenant }),
  output: listedAccount,
  permission: { action: 'service-account:read', resource: accountResource },
  rest: { verb: 'GET', path: '/service-accounts/{account}/roles' },
  errors: ['store-failed', 'store-newer', 'store-unreachable', 'unknown-service-account', 'unknown-tenant'],
  reads: editableAccount,
  async run({ engine, principal }, { account, tenant }) {
    const rows = await openRows(engine.stores, 'show the service account');
    const place = { tenant: await chooseTenant(rows, principal, tenant), name: account };
    const found = await findAccount(rows, place);
    return describeAccount(found, await listBindings(rows, found));
  },
});
