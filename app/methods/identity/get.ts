import * as z from 'zod';
import { method } from '../../method.js';

const identity = z.strictObject({
  actor: z.string().describe('Name of the caller in records'),
  owner: z.boolean().describe('Whether the caller may do everything'),
  tenant: z.string().optional(),
  account: z.string().optional().describe('Service account of the token'),
  roles: z
    .array(z.strictObject({ role: z.string(), workspace: z.string().describe('`*` for all workspaces') }))
    .optional()
    .describe('Roles of the account'),
  token: z.strictObject({ id: z.string(), expires: z.string() }).optional().describe('Token of the call, without its secret'),
});

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
