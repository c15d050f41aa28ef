import { findTenant } from '../../core/tenant-names.js';
import { serviceAccounts } from '../../stores/rows/service-accounts.js';
import type { Rows } from '../../stores/rows.js';

/**
 * Returns whether the worker may connect only to public addresses for the definitions of a workspace. The owner of the
 * home can access the private network of the worker anyway, but other authors must not. This applies to workspaces of
 * tenants, and to all workspaces once there is a service account.
 */
export const needsPublicAddresses =
  (rows: () => Promise<Rows>) =>
  async (workspace: string): Promise<boolean> =>
    findTenant(workspace) !== '' || (await (await rows()).table(serviceAccounts).list({ limit: 1 })).rows.length > 0;
