import * as z from 'zod';
import { listTokens } from '../../access/access-tokens.js';
import { describeToken } from '../../access/describe.js';
import { findAccount } from '../../access/service-accounts.js';
import { chooseTenant } from '../../access/tenants.js';
import { list, pageFields } from '../../lists/page.js';
import { pageByKey } from '../../lists/page-by-key.js';
import { openRows } from '../../open-rows.js';
import { accountName, accountResource, listedToken } from '../../schemas/service-account.js';
import { accountTenant } from '../../tenant/tenant-schema.js';

export const listAccessTokens = list({
  name: 'tokens.list',
  summary: 'List the tokens of a service account, without their secrets; old ones for 30 days',
  input: z.strictObject({ ...pageFields, account: accountName, tenant: accountTenant }),
  item: listedToken,
  pages: { key: 'id' },
  permission: { action: 'token:read', resource: accountResource },
  errors: ['store-failed', 'store-newer', 'store-unreachable', 'unknown-service-account', 'unknown-tenant'],
  async run({ engine, principal }, { account, tenant, ...asked }) {
    const what = 'list the tokens';
    const rows = await openRows(engine.stores, what);
    const place = { tenant: await chooseTenant(rows, principal, tenant), name: account };
    const tokens = await listTokens(rows, await findAccount(rows, place, what));
    const items = tokens.map(describeToken);
    return pageByKey(['tokens.list', place.tenant, account], items, { asked, keyOf: ({ created, id }) => `${created} ${id}` });
  },
});
