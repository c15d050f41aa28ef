import { inputError } from '../../../core/errors.js';

/** The option of commands whose limit may be for workspaces of a tenant. */
export const TENANT_OPTION = {
  flags: '--tenant <name>',
  about: 'workspaces of this tenant, for administrators of the platform',
} as const;

/** Returns the fields of a call that name a tenant; none without a tenant. */
export const nameTenant = (tenant: string | undefined): { tenant?: string } => (tenant === undefined ? {} : { tenant });

/**
 * Returns the workspace of a quota: of a tenant, all workspaces together unless one is named.
 *
 * @throws inputError `bad-arguments`
 */
export function readLimitedWorkspace(
  workspace: string | undefined,
  tenant: string | undefined,
): { workspace: string; tenant?: string } {
  if (workspace === undefined && tenant === undefined) {
    const hint = "write the name of a workspace, '*' or --tenant NAME";
    throw inputError({ code: 'bad-arguments', what: 'read the workspace of the quota', why: 'no workspace is given', hint });
  }
  return { workspace: workspace ?? '*', ...nameTenant(tenant) };
}

/** Returns `default`, `all workspaces`, or the same with ` of the tenant acme`. */
export const describeLimited = (place: string, tenant: string | undefined): string =>
  tenant === undefined ? place : `${place === '*' ? 'all workspaces' : place} of the tenant ${tenant}`;

/** Returns the place of a freeze for people: `environment prod of default`, or as `describeLimited`. */
export const describeFrozen = (
  { place, workspace, environment }: { place: string; workspace: string; environment?: string | undefined },
  tenant: string | undefined,
): string =>
  environment === undefined
    ? describeLimited(place, tenant)
    : `environment ${environment} of ${describeLimited(workspace === '*' && tenant === undefined ? 'all workspaces' : workspace, tenant)}`;
