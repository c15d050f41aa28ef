import { inputError } from '../../core/errors.js';
import type { Principal } from '../principal.js';
import { actionsByRole, EVERYWHERE, rolesAllow } from './roles.js';
import { HOME_TENANT } from './service-accounts.js';

/** A role in a workspace, or in all (`*`). */
interface Rights {
  workspace: string;
  role: string;
}

/**
 * Refuses a call that would give more rights than the caller has: by a role, or by a token of an account with roles.
 *
 * @throws inputError `forbidden`
 */
export async function checkNotMore(
  { actor, may, tenant: own = HOME_TENANT }: Principal,
  asked: string,
  rights: readonly Rights[],
  what: string,
): Promise<void> {
  // An administrator of the home creates the first accounts of a tenant, and grants at most the rights that he has in
  // the home.
  const tenant = own === HOME_TENANT ? HOME_TENANT : asked;
  for (const { workspace, role } of rights) {
    const place = workspace === EVERYWHERE ? {} : { workspace };
    const resource = { type: 'Workspace' as const, id: workspace, tenant, ...place };
    for (const action of actionsByRole.get(role) ?? []) {
      // A role in one workspace does not give all of its actions.
      if (!rolesAllow([{ workspace, role }], action, resource) || (await may(action, resource))) continue;
      const where = workspace === EVERYWHERE ? 'all workspaces' : `the workspace "${workspace}"`;
      const why = `${actor} does not have the rights of the role "${role}" in ${where}`;
      throw inputError({ code: 'forbidden', what, on: role, why, hint: 'ask an administrator of all workspaces' });
    }
  }
}
