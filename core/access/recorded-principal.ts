import type * as z from 'zod';
import type { recordedPrincipal } from '../schema/request-fields.js';

/**
 * The submitting service account, as it is recorded: no token, no roles. Later decisions use the account's permissions
 * at that time.
 */
export type RecordedPrincipal = z.output<typeof recordedPrincipal>;

/** The code of an operation whose principal may not do it any more. */
export const NO_AUTHORITY = 'authority-lost';

/** Question of a repeated decision. */
export interface AuthorityQuestion {
  principal: RecordedPrincipal;
  /** Actor for people. */
  actor: string;
  /** The operation, or the batch. */
  operation: string;
  /** `operation:apply`. */
  action: string;
  workspace: string;
  /** Absent for a batch, which concerns the whole workspace. */
  infra?: string;
  /** When it was asked first, by the clock of the workflow: attempts of one question have the same. Absent: not known. */
  asked?: string;
}

/** Why the principal may not do it any more; absent: it may. */
export interface AuthorityAnswer {
  refused?: string;
}
