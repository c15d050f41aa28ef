import * as z from 'zod';
import { method } from '../../method.js';
import { identity } from '../../schemas/identity.js';

export const getTheIdentity = method({
  name: 'identity.get',
  summary: 'Show who the caller is: the account, its roles, and the token of the call with its expiry',
  input: z.strictObject({}),
  output: identity,
  permission: { action: 'identity:read', resource: () => ({ type: 'User', id: '' }) },
  errors: [],
  run: async ({ principal }) => ({
    actor: principal.actor,
    owner: principal.owner === true,
    ...(await principal.identify?.()),
  }),
});
