import * as z from 'zod';

/** A read of a secret's value. It has only names. */
export const secretRead = z.object({
  /** ISO time. */
  at: z.string(),
  /** Id of an operation, or the caller, `ada@desk`. */
  by: z.string(),
  how: z.enum(['operation', 'secret get', 'secret export', 'output', 'workspace export']),
  /** For an operation: the server that the value was for. */
  host: z.string().optional(),
  /** For an operation: its workspace and infra. */
  workspace: z.string().optional(),
  infra: z.string().optional(),
});
export type SecretRead = z.output<typeof secretRead>;

/** Minimum number of reads that are kept for a secret; the oldest are deleted first. */
export const KEPT_READS = 500;
