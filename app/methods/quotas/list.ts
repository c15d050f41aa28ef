import * as z from 'zod';
import { showWorkspace } from '../../../core/tenant-names.js';
import { quotas } from '../../../stores/rows/quotas.js';
import { readAll } from '../../access/service-accounts.js';
import { chooseTenant } from '../../access/tenants.js';
import { limitedTenant, nameLimitedResource } from '../../limits/limited-place.js';
import { describeQuota } from '../../limits/quota/describe-quota.js';
import { listedQuota } from '../../limits/quota/quota-schemas.js';
import { list, namedFields } from '../../lists/page.js';
import { pageByKey } from '../../lists/page-by-key.js';
import { openRows } from '../../open-rows.js';

export const listQuotas = list({
  name: 'quotas.list',
  summary: 'List the quotas of all workspaces',
  input: z.strictObject({ ...namedFields, tenant: limitedTenant }),
  item: listedQuota,
  pages: { key: 'workspace' },
  permission: { action: 'quota:read', resource: () => nameLimitedResource({}) },
  errors: ['store-failed', 'store-newer', 'store-unreachable', 'unknown-tenant'],
  async run({ engine, principal }, { tenant: named, ...asked }) {
    const rows = await openRows(engine.stores, 'list the quotas');
    const tenant = await chooseTenant(rows, principal, named);
    const all = (await readAll(rows.table(quotas), {})).filter(({ row }) => row.tenant === tenant);
    const items = all.map(({ row }) => ({ ...describeQuota(row), workspace: showWorkspace(row.workspace) }));
    return pageByKey(['quotas.list', tenant], items, { asked, keyOf: ({ workspace }) => workspace });
  },
});
