import * as z from 'zod';
import { listTokens } from '../../access/access-tokens.js';
import { describeToken } from '../../access/describe.js';
import { findAccount, HOME_TENANT } from '../../access/service-accounts.js';
import { list, pageFields } from '../../lists/page.js';
import { pageByKey } from '../../lists/page-by-key.js';
import { openRows } from '../../open-rows.js';
import { accountName, accountResource, listedToken } from '../../schemas/service-account.js';

export const listAccessTokens = list({
  name: 'tokens.list',
  summary: 'List the tokens of a service account, without their secrets; old ones for 30 days',
  input: z.strictObject({ ...pageFields, account: accountName }),
  item: listedToken,
  pages: { key: 'id' },
  permission: { action: 'token:read', resource: accountResource },
  errors: ['store-failed', 'store-newer', 'store-unreachable', 'unknown-service-account'],
  async run({ engine }, { account, ...asked }) {
    const what = 'list the tokens';
    const rows = await openRows(engine.stores, what);
    const tokens = await listTokens(rows, await findAccount(rows, { tenant: HOME_TENANT, name: account }, what));
    const items = tokens.map(describeToken);
    return pageByKey(['tokens.list', account], items, { asked, keyOf: ({ created, id }) => `${created} ${id}` });
  },
});
