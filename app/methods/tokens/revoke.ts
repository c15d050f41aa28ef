import * as z from 'zod';
import { findToken, revokeToken } from '../../access/access-tokens.js';
import { describeToken } from '../../access/describe.js';
import { keepAdministrator } from '../../access/last-administrator.js';
import { method } from '../../method.js';
import { openRows } from '../../open-rows.js';
import { listedToken, tokenId } from '../../schemas/service-account.js';

export const revokeAccessToken = method({
  name: 'tokens.revoke',
  summary: 'Revoke a token; it is refused within five seconds',
  input: z.strictObject({ token: tokenId }),
  output: listedToken,
  permission: { action: 'token:revoke', resource: ({ token }) => ({ type: 'Token', id: token }) },
  errors: ['last-administrator', 'store-failed', 'store-newer', 'store-unreachable', 'unknown-token'],
  async run({ engine, principal }, { token }) {
    const what = 'revoke the token';
    const rows = await openRows(engine.stores, what);
    const key = { tenant: principal.tenant || undefined, id: token };
    const { tenant, account: id } = await findToken(rows, key);
    const change = { what, on: token, account: { tenant, id }, removes: { token } };
    const revoke = () => revokeToken(rows, key, { by: principal.actor });
    return describeToken(await keepAdministrator(rows, principal, change, revoke));
  },
});
