import type * as z from 'zod';
import type { recordedPrincipal } from '../schema/request-fields.js';

/**
 * The service account that asked for something, as it is recorded: no token, no roles. Whoever acts on it later decides by
 * what the account may do then.
 */
export type RecordedPrincipal = z.output<typeof recordedPrincipal>;

/** The code of an operation whose principal may not do it any more. */
export const NO_AUTHORITY = 'authority-lost';

/** What is decided again. */
export interface AuthorityQuestion {
  principal: RecordedPrincipal;
  /** Who signs it, as people read it. */
  actor: string;
  /** The operation, or the batch. */
  operation: string;
  /** `operation:apply`. */
  action: string;
  workspace: string;
  /** Absent: the whole workspace, of a batch. */
  infra?: string;
}

/** Why the principal may not do it any more; absent: it may. */
export interface AuthorityAnswer {
  refused?: string;
}
