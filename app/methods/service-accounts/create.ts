import * as z from 'zod';
import { describeAccount } from '../../access/describe.js';
import { createAccount, HOME_TENANT } from '../../access/service-accounts.js';
import { method } from '../../method.js';
import { openRows } from '../../open-rows.js';
import { accountName, accountResource, listedAccount, purpose } from '../../schemas/service-account.js';

export const createServiceAccount = method({
  name: 'serviceAccounts.create',
  summary: 'Create a service account without roles',
  input: z.strictObject({ account: accountName, about: purpose }),
  output: listedAccount,
  permission: { action: 'service-account:create', resource: accountResource },
  errors: ['exists', 'store-failed', 'store-newer', 'store-unreachable'],
  async run({ engine, principal }, { account, about }) {
    const rows = await openRows(engine.stores, 'create the service account');
    return describeAccount(await createAccount(rows, { tenant: HOME_TENANT, name: account, about }, { by: principal.actor }), []);
  },
});
