import { findTenant } from '../../core/tenant-names.js';
import { serviceAccounts } from '../../stores/rows/service-accounts.js';
import type { Rows } from '../../stores/rows.js';

/**
 * Whether the worker may connect only to public addresses for the definitions of a workspace: they may come from somebody else
 * than the owner of the home, who reaches the private network of the worker anyway. That is so in workspaces of tenants, and
 * everywhere once there is a service account.
 */
export const needsPublicAddresses =
  (rows: () => Promise<Rows>) =>
  async (workspace: string): Promise<boolean> =>
    findTenant(workspace) !== '' || (await (await rows()).table(serviceAccounts).list({ limit: 1 })).rows.length > 0;
