import * as z from 'zod';
import { revokeToken } from '../../access/access-tokens.js';
import { describeToken } from '../../access/describe.js';
import { method } from '../../method.js';
import { openRows } from '../../open-rows.js';
import { listedToken, tokenId } from '../../schemas/service-account.js';

export const revokeAccessToken = method({
  name: 'tokens.revoke',
  summary: 'Revoke a token; it is refused within five seconds',
  input: z.strictObject({ token: tokenId }),
  output: listedToken,
  permission: { action: 'token:revoke', resource: ({ token }) => ({ type: 'Token', id: token }) },
  errors: ['store-failed', 'store-newer', 'store-unreachable', 'unknown-token'],
  async run({ engine, principal }, { token }) {
    const rows = await openRows(engine.stores, 'revoke the token');
    return describeToken(await revokeToken(rows, { tenant: principal.tenant || undefined, id: token }, { by: principal.actor }));
  },
});
