import { inputError } from '../../core/errors.js';
import {
  type AccessToken,
  type RoleBinding,
  roleBindings,
  type ServiceAccount,
  serviceAccounts,
} from '../../stores/rows/service-accounts.js';
import type { Rows } from '../../stores/rows.js';
import { holdResource } from '../conditions/hold-resource.js';
import type { Principal } from '../principal.js';
import { tokenState } from './access-tokens.js';
import { EVERYWHERE, type Role } from './roles.js';
import { HOME_TENANT, readAll, readTokens } from './service-accounts.js';

const ADMIN: Role = 'admin';

/** What a change takes away: an account or its role, or one token. */
interface Removed {
  account?: string;
  token?: string;
}

/** Whether this binding makes its account an administrator of its tenant. */
export const isAdministration = ({ workspace, role }: Pick<RoleBinding, 'workspace' | 'role'>): boolean =>
  workspace === EVERYWHERE && role === ADMIN;

/**
 * Returns the ids of the accounts that can administer a tenant: they have the role admin everywhere, and a valid token.
 *
 * @param without ignored, as if a change had removed it already
 */
export async function findAdministrators(rows: Rows, tenant: string, without: Removed = {}): Promise<Set<string>> {
  const wide = (await readAll(rows.table(roleBindings), { role: ADMIN })).filter(({ row }) => isAdministration(row));
  if (wide.length === 0) return new Set();
  // A binding can outlive its account if a deletion was interrupted.
  const accounts = (await readAll(rows.table(serviceAccounts), { scope: EVERYWHERE })).map(({ row }) => row);
  const asked = accounts.filter(
    ({ id, tenant: its }) => its === tenant && id !== without.account && wide.some(({ row }) => row.account === id),
  );
  const isUsable = ({ row }: { row: AccessToken }) => row.id !== without.token && tokenState(row) === 'active';
  const usable = await Promise.all(asked.map(async (account) => (await readTokens(rows, account)).some(isUsable)));
  return new Set(asked.flatMap(({ id }, at) => (usable[at] ? [id] : [])));
}

/** Whether an account can administer a tenant by the API. */
export const hasAdministrator = async (rows: Rows, tenant: string): Promise<boolean> =>
  (await findAdministrators(rows, tenant)).size > 0;

interface Change {
  /** `delete the service account`, and its name. */
  what: string;
  on: string;
  account: Pick<ServiceAccount, 'tenant' | 'id'>;
  removes: Removed;
}

/**
 * Makes a change that takes rights from an account. Refuses it if its tenant would have no administrator then. Changes
 * of a tenant's administrators wait for each other: of two that remove each other, the second one is refused.
 *
 * The owner of the home, members of its group, and administrators of the home for a tenant can restore rights.
 * Nothing is refused to them.
 *
 * @throws inputError `last-administrator`, unreachableError `resource-busy`
 */
export async function keepAdministrator<Result>(
  rows: Rows,
  principal: Principal,
  { what, on, account: { tenant, id }, removes }: Change,
  change: () => Promise<Result>,
): Promise<Result> {
  if (!principal.recorded || (principal.tenant ?? HOME_TENANT) !== tenant) return change();
  const letGo = await holdResource(rows, `administrators of tenant ${tenant}`);
  try {
    const before = await findAdministrators(rows, tenant);
    if (before.has(id) && (await findAdministrators(rows, tenant, removes)).size === 0) throw refuseLast(what, on, tenant);
    return await change();
  } finally {
    // A lock that stays expires automatically.
    await letGo().catch(() => {});
  }
}

const refuseLast = (what: string, on: string, tenant: string) =>
  inputError({
    code: 'last-administrator',
    what,
    on,
    why: 'no other account with a valid token has the role "admin" in all workspaces',
    hint:
      tenant === HOME_TENANT
        ? 'create another administrator with a token first; the owner of the home can do it without one'
        : 'create another administrator with a token first; an administrator of the home can do it without one',
  });
