import * as z from 'zod';
import { deleteTenant } from '../../access/tenants.js';
import { editableTenant } from '../../conditions/editables.js';
import { method } from '../../method.js';
import { openRows } from '../../open-rows.js';
import { tenantName, tenantResource } from '../../tenant/tenant-schema.js';
import { listTenantWorkspaces } from '../../workspaces/list-workspaces.js';

export const deleteTheTenant = method({
  name: 'tenants.delete',
  summary: 'Delete a tenant without infras, with its service accounts and their tokens',
  input: z.strictObject({ tenant: tenantName }),
  output: z.strictObject({ accounts: z.int().describe('Number of deleted service accounts') }),
  permission: { action: 'tenant:delete', resource: tenantResource },
  rest: { verb: 'DELETE', path: '/tenants/{tenant}' },
  errors: ['store-failed', 'store-newer', 'store-unreachable', 'tenant-in-use', 'unknown-tenant'],
  edits: editableTenant,
  async run({ engine }, { tenant }) {
    const rows = await openRows(engine.stores, 'delete the tenant');
    const findWorkspaces = async (id: string) => (await listTenantWorkspaces(engine, id)).map(({ name }) => name);
    return { accounts: await deleteTenant(rows, tenant, findWorkspaces) };
  },
});
