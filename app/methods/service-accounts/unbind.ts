import * as z from 'zod';
import { findAccount, HOME_TENANT, unbindRole } from '../../access/service-accounts.js';
import { method } from '../../method.js';
import { openRows } from '../../open-rows.js';
import { accountName, accountResource, boundWorkspace, role } from '../../schemas/service-account.js';

export const unbindServiceAccount = method({
  name: 'serviceAccounts.unbind',
  summary: 'Revoke a role of a service account',
  input: z.strictObject({ account: accountName, role, workspace: boundWorkspace }),
  output: z.strictObject({ removed: z.boolean().describe('Whether the account had the role') }),
  permission: { action: 'role:unbind', resource: accountResource },
  errors: ['store-failed', 'store-newer', 'store-unreachable', 'unknown-service-account'],
  async run({ engine }, { account, ...binding }) {
    const what = 'revoke the role';
    const rows = await openRows(engine.stores, what);
    return { removed: await unbindRole(rows, await findAccount(rows, { tenant: HOME_TENANT, name: account }, what), binding) };
  },
});
