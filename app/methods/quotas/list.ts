import * as z from 'zod';
import { quotas } from '../../../stores/rows/quotas.js';
import { HOME_TENANT, readAll } from '../../access/service-accounts.js';
import { describeQuota } from '../../limits/quota/describe-quota.js';
import { listedQuota, quotaResource } from '../../limits/quota/quota-schemas.js';
import { list, namedFields } from '../../lists/page.js';
import { pageByKey } from '../../lists/page-by-key.js';
import { openRows } from '../../open-rows.js';

export const listQuotas = list({
  name: 'quotas.list',
  summary: 'List the quotas of all workspaces',
  input: z.strictObject(namedFields),
  item: listedQuota,
  pages: { key: 'workspace' },
  permission: { action: 'quota:read', resource: () => quotaResource({}) },
  errors: ['store-failed', 'store-newer', 'store-unreachable'],
  async run({ engine }, asked) {
    const all = await readAll((await openRows(engine.stores, 'list the quotas')).table(quotas), {});
    const items = all.flatMap(({ row }) => (row.tenant === HOME_TENANT ? [describeQuota(row)] : []));
    return pageByKey(['quotas.list'], items, { asked, keyOf: ({ workspace }) => workspace });
  },
});
