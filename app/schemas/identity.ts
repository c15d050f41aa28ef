import * as z from 'zod';

/** Who calls, as a caller may know it. */
export const identity = z.strictObject({
  actor: z.string().describe('The name that records have'),
  owner: z.boolean().describe('Whether everything is allowed'),
  tenant: z.string().optional(),
  account: z.string().optional().describe('The service account of the token'),
  roles: z
    .array(z.strictObject({ role: z.string(), workspace: z.string().describe('`*` for all workspaces') }))
    .optional()
    .describe('Roles of the account'),
  token: z.strictObject({ id: z.string(), expires: z.string() }).optional().describe('The token of the call, without its secret'),
});

export type Identity = z.output<typeof identity>;
