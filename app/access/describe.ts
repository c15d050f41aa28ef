import type * as z from 'zod';
import type { AccessToken, RoleBinding, ServiceAccount } from '../../stores/rows/service-accounts.js';
import type { listedAccount, listedToken } from '../schemas/service-account.js';
import { tokenState } from './access-tokens.js';

/** An account as a list shows it. */
export const describeAccount = (
  { name, about, createdAt, createdBy }: ServiceAccount,
  bindings: readonly RoleBinding[],
): z.output<typeof listedAccount> => ({
  account: name,
  ...(about !== undefined && { about }),
  created: createdAt,
  by: createdBy,
  roles: bindings.map(({ role, workspace }) => ({ role, workspace })),
});

/** A token as a list shows it, without its hash. */
export const describeToken = (token: AccessToken): z.output<typeof listedToken> => ({
  id: token.id,
  account: token.name,
  ...(token.about !== undefined && { about: token.about }),
  state: tokenState(token),
  created: token.createdAt,
  by: token.createdBy,
  expires: token.expiresAt,
  ...(token.usedAt !== undefined && { used: token.usedAt }),
  ...(token.revokedAt !== undefined && { revoked: token.revokedAt }),
  ...(token.revokedBy !== undefined && { revokedBy: token.revokedBy }),
});
