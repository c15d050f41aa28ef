import { NAME, testWorkspaceOf } from './names.js';

/**
 * How the names of a tenant are told apart from those of others inside the platform: in ids of workflows, in stores, on hosts.
 * The tenant of a home is the empty one: its names are the same inside.
 */

const TEST_WORKSPACE = testWorkspaceOf('');

/** How the workspaces of tenants begin inside the platform. */
export const TENANT_PREFIX = 'tenant--';

/** An internal name is longer than any name that a person can give: `NAME` takes 40 characters. */
const SHORTEST = 41;

/** The id of a tenant is given once, so that a tenant that is created again under a name is another one. */
const INTERNAL = /^tenant--([a-z0-9]{8})-(-*)([a-z][a-z0-9-]*)$/;
/** The last mark of an id is the one that counts. */
const MARK = /\.t-([a-z0-9]{8})(?![A-Za-z0-9])/g;

/** How the workspaces of a tenant begin inside the platform. */
export const tenantPrefix = (tenant: string): string => `${TENANT_PREFIX}${tenant}-`;

/**
 * The workspace inside the platform, from a name that a caller of this tenant wrote. Whatever the name is, the outcome is no
 * workspace of another tenant.
 */
export function translateWorkspace(tenant: string, name: string): string {
  if (tenant === '') return name;
  if (name.startsWith(TEST_WORKSPACE) && name.length > TEST_WORKSPACE.length)
    return TEST_WORKSPACE + translateWorkspace(tenant, name.slice(TEST_WORKSPACE.length));
  const prefix = tenantPrefix(tenant);
  // It stays what it is, no name.
  if (!/^[a-z][a-z0-9-]*$/.test(name)) return `${prefix}!${name}`;
  return prefix + name.padStart(SHORTEST - prefix.length, '-');
}

/** The tenant that a workspace belongs to, as it is called inside the platform. Empty: the tenant of the home. */
export const findTenant = (workspace: string): string => parse(workspace)?.tenant ?? '';

/**
 * Reports whether a workspace can have this name inside the platform. Those of test environments and tenants have
 * longer names.
 */
export const isWorkspace = (name: string): boolean =>
  NAME.test(name) || (/^[a-z][a-z0-9-]{0,79}$/.test(name) && (name.startsWith(TEST_WORKSPACE) || findTenant(name) !== ''));

/** The name of a workspace as its tenant knows it. */
export function showWorkspace(workspace: string): string {
  const found = parse(workspace);
  return found ? found.test + found.name : workspace;
}

function parse(workspace: string): { test: string; tenant: string; name: string } | undefined {
  const test = workspace.startsWith(TEST_WORKSPACE) ? TEST_WORKSPACE : '';
  const own = workspace.slice(test.length);
  const [, tenant, , name] = own.length < SHORTEST ? [] : (INTERNAL.exec(own) ?? []);
  return tenant !== undefined && name !== undefined ? { test, tenant, name } : undefined;
}

/**
 * Returns the id of an operation or batch, from an id that a caller of this tenant wrote. An id that already has the
 * tenant's mark, as answers have it, stays.
 */
export const markId = (tenant: string, id: string): string =>
  tenant === '' || findTenantOfId(id) === tenant ? id : `${id}.t-${tenant}`;

/** Returns the tenant in the id of an operation or batch. Empty without a mark. */
export const findTenantOfId = (id: string): string => [...id.matchAll(MARK)].at(-1)?.[1] ?? '';

/** A text of the platform with the names as the tenant knows them. */
export function showNames(tenant: string, text: string): string {
  const prefix = tenantPrefix(tenant);
  return text.includes(prefix) ? text.replace(new RegExp(`${prefix}-*(?=[a-z])`, 'g'), '') : text;
}
