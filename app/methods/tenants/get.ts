import * as z from 'zod';
import { countAccounts, readTenant } from '../../access/tenants.js';
import { editableTenant } from '../../conditions/editables.js';
import { method } from '../../method.js';
import { openRows } from '../../open-rows.js';
import { describeTenant, listedTenant, tenantName, tenantResource } from '../../tenant/tenant-schema.js';
import { listTenantWorkspaces } from '../../workspaces/list-workspaces.js';

export const getTenant = method({
  name: 'tenants.get',
  summary: 'Show a tenant with the number of its service accounts, and its workspaces that have infras',
  input: z.strictObject({ tenant: tenantName }),
  output: listedTenant.extend({
    accounts: z.int().describe('Number of its service accounts'),
    workspaces: z.array(z.strictObject({ name: z.string(), infras: z.int().describe('Number of infras') })),
  }),
  permission: { action: 'tenant:read', resource: tenantResource },
  errors: ['store-failed', 'store-newer', 'store-unreachable', 'unknown-tenant'],
  reads: editableTenant,
  async run({ engine }, { tenant }) {
    const rows = await openRows(engine.stores, 'show the tenant');
    const found = await readTenant(rows, tenant, 'show the tenant');
    const [accounts, workspaces] = await Promise.all([countAccounts(rows, found.id), listTenantWorkspaces(engine, found.id)]);
    return { ...describeTenant(found), accounts, workspaces };
  },
});
