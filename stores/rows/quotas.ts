import * as z from 'zod';
import { table } from './collection.js';

const at = z.iso.datetime();
/** Empty: the one tenant of a home. */
const tenant = z.string();
/** `*` for all workspaces together. */
const workspace = z.string();

const quota = z.strictObject({
  tenant,
  workspace,
  /** Operations that may run at a time. */
  operations: z.int().min(0).optional(),
  servers: z.int().min(0).optional(),
  /** Monthly cost of servers, at the prices of their providers. */
  monthly: z.strictObject({ amount: z.number().min(0), currency: z.string() }).optional(),
  setAt: at,
  setBy: z.string(),
});

const claim = z.strictObject({
  /** The workflow: an operation or a batch. It is released when this has ended. */
  id: z.string(),
  at,
  /** How many operations it counts for. */
  weight: z.int().min(1),
  /** Use of infras after the work. */
  infras: z.array(
    z.strictObject({
      workspace: z.string(),
      infra: z.string(),
      servers: z.int(),
      /** By month, in the currency of the quota. */
      amount: z.number().optional(),
    }),
  ),
});

const quotaClaims = z.strictObject({ tenant, workspace, claims: z.array(claim) });

export type Quota = z.infer<typeof quota>;
export type QuotaClaim = z.infer<typeof claim>;

export const quotas = table({ name: 'quotas', row: quota, key: ['tenant', 'workspace'], indexes: [], sealed: true });

/** Present claims of a quota. All are in one row, so that a claim is checked and made by one write. */
export const claimsOfQuotas = table({
  name: 'quota_claims',
  row: quotaClaims,
  key: ['tenant', 'workspace'],
  indexes: [],
  sealed: true,
});
