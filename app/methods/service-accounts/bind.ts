import * as z from 'zod';
import { checkNotMore } from '../../access/check-not-more.js';
import { bindRole, findAccount, HOME_TENANT } from '../../access/service-accounts.js';
import { method } from '../../method.js';
import { openRows } from '../../open-rows.js';
import { accountName, accountResource, boundWorkspace, role } from '../../schemas/service-account.js';

export const bindServiceAccount = method({
  name: 'serviceAccounts.bind',
  summary: 'Grant a role to a service account, in one workspace or in all; only with all rights of the role there',
  input: z.strictObject({ account: accountName, role, workspace: boundWorkspace }),
  output: z.strictObject({ added: z.boolean().describe('Whether the account did not have the role') }),
  permission: { action: 'role:bind', resource: accountResource },
  errors: ['quota-exceeded', 'store-failed', 'store-newer', 'store-unreachable', 'unknown-service-account'],
  async run({ engine, principal }, { account, ...binding }) {
    const what = 'grant the role';
    await checkNotMore(principal, HOME_TENANT, [binding], what);
    const rows = await openRows(engine.stores, what);
    const found = await findAccount(rows, { tenant: HOME_TENANT, name: account }, what);
    return { added: await bindRole(rows, found, binding, { by: principal.actor }) };
  },
});
