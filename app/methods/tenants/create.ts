import * as z from 'zod';
import { createTenant } from '../../access/tenants.js';
import { method } from '../../method.js';
import { openRows } from '../../open-rows.js';
import { purpose } from '../../schemas/service-account.js';
import { describeTenant, listedTenant, providerAccounts, tenantName, tenantResource } from '../../tenant/tenant-schema.js';

export const createTheTenant = method({
  name: 'tenants.create',
  summary: 'Create a tenant: its workspaces, infras, secrets and service accounts are apart from all others',
  input: z.strictObject({ tenant: tenantName, about: purpose, providers: providerAccounts.optional() }),
  output: listedTenant,
  permission: { action: 'tenant:create', resource: tenantResource },
  rest: { verb: 'POST', path: '/tenants' },
  errors: ['exists', 'store-failed', 'store-newer', 'store-unreachable'],
  async run({ engine, principal }, { tenant, ...asked }) {
    const rows = await openRows(engine.stores, 'create the tenant');
    return describeTenant(await createTenant(rows, { name: tenant, ...asked }, { by: principal.actor }));
  },
});
