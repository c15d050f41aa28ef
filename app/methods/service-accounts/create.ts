import * as z from 'zod';
import { describeAccount } from '../../access/describe.js';
import { createAccount } from '../../access/service-accounts.js';
import { chooseTenant } from '../../access/tenants.js';
import { method } from '../../method.js';
import { openRows } from '../../open-rows.js';
import { accountName, accountResource, listedAccount, purpose } from '../../schemas/service-account.js';
import { accountTenant } from '../../tenant/tenant-schema.js';

export const createServiceAccount = method({
  name: 'serviceAccounts.create',
  summary: 'Create a service account without roles',
  input: z.strictObject({ account: accountName, tenant: accountTenant, about: purpose }),
  output: listedAccount,
  permission: { action: 'service-account:create', resource: accountResource },
  errors: ['exists', 'store-failed', 'store-newer', 'store-unreachable', 'unknown-tenant'],
  async run({ engine, principal }, { account, about, tenant }) {
    const rows = await openRows(engine.stores, 'create the service account');
    const place = { tenant: await chooseTenant(rows, principal, tenant), name: account };
    return describeAccount(await createAccount(rows, { ...place, about }, { by: principal.actor }), []);
  },
});
