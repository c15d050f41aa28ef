import * as z from 'zod';
import { checkNotMore } from '../../access/check-not-more.js';
import { bindRole, findAccount } from '../../access/service-accounts.js';
import { chooseTenant } from '../../access/tenants.js';
import { editableAccount } from '../../conditions/editables.js';
import { method } from '../../method.js';
import { openRows } from '../../open-rows.js';
import { accountName, accountResource, boundWorkspace, role } from '../../schemas/service-account.js';
import { accountTenant } from '../../tenant/tenant-schema.js';

export const bindServiceAccount = method({
  name: 'serviceAccounts.bind',
  summary: 'Grant a role to a service account, in one workspace or in all; only with all rights of the role there',
  input: z.strictObject({ account: accountName, tenant: accountTenant, role, workspace: boundWorkspace }),
  output: z.strictObject({ added: z.boolean().describe('Whether the account did not have the role') }),
  permission: { action: 'role:bind', resource: accountResource },
  // `*` is a workspace here, and no part of a path.
  rest: { verb: 'POST', path: '/service-accounts/bind' },
  errors: ['quota-exceeded', 'store-failed', 'store-newer', 'store-unreachable', 'unknown-service-account', 'unknown-tenant'],
  edits: editableAccount,
  async run({ engine, principal }, { account, tenant, ...binding }) {
    const what = 'grant the role';
    const rows = await openRows(engine.stores, what);
    const place = { tenant: await chooseTenant(rows, principal, tenant), name: account };
    await checkNotMore(principal, place.tenant, [binding], what);
    const found = await findAccount(rows, place, what);
    return { added: await bindRole(rows, found, binding, { by: principal.actor }) };
  },
});
