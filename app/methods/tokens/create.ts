import * as z from 'zod';
import { createToken } from '../../access/access-tokens.js';
import { checkNotMore } from '../../access/check-not-more.js';
import { describeToken } from '../../access/describe.js';
import { findAccount, listBindings } from '../../access/service-accounts.js';
import { chooseTenant } from '../../access/tenants.js';
import { method } from '../../method.js';
import { openRows } from '../../open-rows.js';
import { accountName, accountResource, hours, listedToken, purpose } from '../../schemas/service-account.js';
import { accountTenant } from '../../tenant/tenant-schema.js';

export const createAccessToken = method({
  name: 'tokens.create',
  summary: 'Create a token of a service account; only with all rights of the account',
  input: z.strictObject({ account: accountName, tenant: accountTenant, hours, about: purpose }),
  output: listedToken.extend({ token: z.string().describe('The token. It is not stored and is not shown again') }),
  permission: { action: 'token:create', resource: accountResource },
  errors: ['quota-exceeded', 'store-failed', 'store-newer', 'store-unreachable', 'unknown-service-account', 'unknown-tenant'],
  async run({ engine, principal }, { account, tenant, ...asked }) {
    const what = 'create the token';
    const rows = await openRows(engine.stores, what);
    const place = { tenant: await chooseTenant(rows, principal, tenant), name: account };
    const found = await findAccount(rows, place, what);
    await checkNotMore(principal, place.tenant, await listBindings(rows, found), what);
    const { text, token } = await createToken(rows, found, asked, { by: principal.actor });
    return { ...describeToken(token), token: text };
  },
});
