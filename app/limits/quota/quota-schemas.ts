import * as z from 'zod';
import { time } from '../../schemas/ids.js';
import { boundWorkspace } from '../../schemas/service-account.js';
import type { QuotaUse } from './judge-quota.js';

/** The workspace of a quota. */
export const quotaWorkspace = boundWorkspace.describe('Name of the workspace; `*` for all workspaces together');

const count = z.int().min(0).max(1_000_000);

/** Limits of a quota. */
export const quotaLimits = {
  operations: count.optional().describe('Operations at a time. A batch counts for its parallel operations'),
  servers: count.optional().describe('Servers'),
  monthly: z
    .strictObject({
      amount: z.number().min(0).max(1e12),
      currency: z.string().regex(/^[A-Z]{3}$/, 'write a currency such as EUR'),
    })
    .optional()
    .describe('Monthly cost of the servers in one currency'),
};

export const listedQuota = z.strictObject({
  workspace: z.string(),
  ...quotaLimits,
  set: time,
  by: z.string().describe('Author of the quota'),
});

/** Use of a quota. */
export const quotaUse = z.strictObject({
  workspace: z.string().describe('Workspace of the quota; `*` for all workspaces together'),
  of: z.enum(['operations', 'servers', 'monthly cost']),
  limit: z.number(),
  used: z.number(),
  after: z.number().optional().describe('Use with the change; absent without a change'),
  currency: z.string().optional().describe('ISO 4217'),
  exceeded: z.literal(true).optional().describe('The change takes more than is left'),
}) satisfies z.ZodType<QuotaUse>;
