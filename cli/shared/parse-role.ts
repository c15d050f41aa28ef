import { ROLES, type Role } from '../../app/access/roles.js';
import { workspaceOfAccount } from '../../app/schemas/service-account.js';
import { inputError } from '../../core/errors.js';
import { didYouMean } from '../../definition/source/did-you-mean.js';

/**
 * Parses the role of an account. An account of all workspaces must name a workspace: a role in all workspaces is never
 * a default.
 *
 * @throws inputError `bad-arguments`
 */
export function parseRole(
  account: string,
  written: string,
  workspace = workspaceOfAccount(account),
): { account: string; role: Role; workspace: string } {
  const role = ROLES.find((one) => one === written);
  if (role === undefined) {
    const hint = didYouMean(written, new Set(ROLES)) ?? `roles: ${ROLES.join(', ')}`;
    throw inputError({ code: 'bad-arguments', what: 'read the role', on: `"${written}"`, why: 'no role has this name', hint });
  }
  if (workspace !== undefined) return { account, role, workspace };
  const why = `the account "${account}" belongs to no workspace`;
  throw inputError({ code: 'bad-arguments', what: 'read the workspace', why, hint: "add --in WORKSPACE, or --in '*' for all" });
}
