import * as z from 'zod';
import { isAdministration, keepAdministrator } from '../../access/last-administrator.js';
import { findAccount, unbindRole } from '../../access/service-accounts.js';
import { chooseTenant } from '../../access/tenants.js';
import { editableAccount } from '../../conditions/editables.js';
import { method } from '../../method.js';
import { openRows } from '../../open-rows.js';
import { accountName, accountResource, boundWorkspace, role } from '../../schemas/service-account.js';
import { accountTenant } from '../../tenant/tenant-schema.js';

export const unbindServiceAccount = method({
  name: 'serviceAccounts.unbind',
  summary: 'Revoke a role of a service account',
  input: z.strictObject({ account: accountName, tenant: accountTenant, role, workspace: boundWorkspace }),
  output: z.strictObject({ removed: z.boolean().describe('Whether the account had the role') }),
  permission: { action: 'role:unbind', resource: accountResource },
  // `*` is a workspace here, and no part of a path.
  rest: { verb: 'POST', path: '/service-accounts/unbind' },
  errors: [
    'last-administrator',
    'resource-busy',
    'store-failed',
    'store-newer',
    'store-unreachable',
    'unknown-service-account',
    'unknown-tenant',
  ],
  edits: editableAccount,
  async run({ engine, principal }, { account, tenant, ...binding }) {
    const what = 'revoke the role';
    const rows = await openRows(engine.stores, what);
    const place = { tenant: await chooseTenant(rows, principal, tenant), name: account };
    const found = await findAccount(rows, place, what);
    const unbind = () => unbindRole(rows, found, binding);
    if (!isAdministration(binding)) return { removed: await unbind() };
    const change = { what, on: account, account: found, removes: { account: found.id } };
    return { removed: await keepAdministrator(rows, principal, change, unbind) };
  },
});
