import * as z from 'zod';
import { listTenants } from '../../access/tenants.js';
import { list, namedFields } from '../../lists/page.js';
import { pageByKey } from '../../lists/page-by-key.js';
import { openRows } from '../../open-rows.js';
import { describeTenant, listedTenant } from '../../tenant/tenant-schema.js';

export const listTheTenants = list({
  name: 'tenants.list',
  summary: 'List the tenants of the platform',
  input: z.strictObject(namedFields),
  item: listedTenant,
  pages: { key: 'name' },
  permission: { action: 'tenant:read', resource: () => ({ type: 'Tenant', id: '*' }) },
  errors: ['store-failed', 'store-newer', 'store-unreachable'],
  async run({ engine }, asked) {
    const items = (await listTenants(await openRows(engine.stores, 'list the tenants'))).map(describeTenant);
    return pageByKey(['tenants.list'], items, { asked, keyOf: ({ name }) => name });
  },
});
