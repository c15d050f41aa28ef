import { translateWorkspace } from '../../core/tenant-names.js';
import type { Rows } from '../../stores/rows.js';
import { EVERYWHERE } from '../access/roles.js';
import { chooseTenant } from '../access/tenants.js';
import type { Principal, Resource } from '../principal.js';
import { tenantName } from '../tenant/tenant-schema.js';

/** The tenant whose workspaces a limit is for. */
export const limitedTenant = tenantName
  .optional()
  .describe('Tenant of the workspace, for an administrator of the platform; absent: the workspaces of the home');

interface AskedPlace {
  workspace: string;
  tenant?: string | undefined;
}

/**
 * What a quota or a freeze is for, with the names inside the platform.
 *
 * @throws inputError `unknown-tenant`
 */
export async function findLimitedPlace(
  rows: Rows,
  principal: Principal,
  { workspace, tenant: named }: AskedPlace,
): Promise<{ tenant: string; workspace: string }> {
  const tenant = await chooseTenant(rows, principal, named);
  return { tenant, workspace: workspace === EVERYWHERE ? workspace : translateWorkspace(tenant, workspace) };
}

/** Limits of a tenant are set by administrators of all workspaces of the home. */
export const nameLimitedResource = ({ workspace, tenant }: Partial<AskedPlace>): Resource => ({
  type: 'Workspace',
  id: tenant === undefined ? (workspace ?? EVERYWHERE) : EVERYWHERE,
});
