import * as z from 'zod';
import { NAME_RULE } from '../../core/names.js';
import { DEFAULT_HOURS, MOST_HOURS } from '../access/access-tokens.js';
import { EVERYWHERE, ROLES } from '../access/roles.js';
import { accountScope } from '../access/service-accounts.js';
import type { Resource } from '../principal.js';
import { time } from './ids.js';

const NAME = '[a-z][a-z0-9-]{0,39}';

export const accountName = z
  .string()
  .regex(new RegExp(`^(?:${NAME}/)?${NAME}$`), `use ACCOUNT or WORKSPACE/ACCOUNT: ${NAME_RULE} each`)
  .describe('Name of the service account: `ci`, or `default/ci` for an account of one workspace');
export const boundWorkspace = z
  .string()
  .regex(new RegExp(`^(?:\\*|${NAME})$`), 'use the name of a workspace, or * for all')
  .describe('Workspace of the role; `*` for all workspaces and the platform');
export const role = z.enum(ROLES).describe('Role: what the account may do');
export const tokenId = z
  .string()
  .regex(/^[0-9A-Za-z]{1,64}$/)
  .describe('Id of the token, the second part of its text');
export const purpose = z.string().min(1).max(200).optional().describe('Purpose, for the list');
export const hours = z
  .int()
  .min(1)
  .max(MOST_HOURS)
  .optional()
  .describe(`Hours until the token expires (default: ${DEFAULT_HOURS}, 90 days; at most ${MOST_HOURS}, 365 days)`);

/** A role with its workspace, as it is granted. */
export const grantedRole = z.strictObject({ role: z.string(), workspace: z.string() });

export const listedAccount = z.strictObject({
  account: z.string(),
  about: z.string().optional(),
  created: time,
  by: z.string().describe('Creator'),
  roles: z.array(grantedRole),
});

export const listedToken = z.strictObject({
  id: z.string(),
  account: z.string(),
  about: z.string().optional(),
  state: z.enum(['active', 'expired', 'revoked']),
  created: time,
  by: z.string().describe('Creator'),
  expires: time,
  used: time.optional().describe('Last use, accurate to a minute'),
  revoked: time.optional(),
  revokedBy: z.string().optional(),
});

interface WithTenant {
  tenant?: string | undefined;
}

export const accountResource = ({ account, tenant }: { account: string } & WithTenant): Resource => ({
  type: 'User',
  id: account,
  accounts: { tenant },
});

/** The accounts of one workspace, or all. */
export const accountsResource = ({ workspace, tenant }: { workspace?: string | undefined } & WithTenant): Resource => ({
  type: 'Workspace',
  id: workspace ?? EVERYWHERE,
  accounts: { tenant },
});

/** Returns the workspace of an account; undefined for an account without a workspace. */
export const workspaceOfAccount = (account: string): string | undefined => {
  const scope = accountScope(account);
  return scope === EVERYWHERE ? undefined : scope;
};
