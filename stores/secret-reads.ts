import * as z from 'zod';

/** Somebody was given the value of a secret. Names only. */
export const secretRead = z.object({
  /** ISO time. */
  at: z.string(),
  /** Id of an operation, or who asked, `ada@desk`. */
  by: z.string(),
  how: z.enum(['operation', 'secret get', 'secret export', 'workspace export']),
  /** Of an operation: the server that the value was for. */
  host: z.string().optional(),
  /** Of an operation: its workspace and infra. */
  workspace: z.string().optional(),
  infra: z.string().optional(),
});
export type SecretRead = z.output<typeof secretRead>;

/** How many reads of one secret are kept, at least; of these the last ones. */
export const KEPT_READS = 500;
