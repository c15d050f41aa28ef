import type { LockRequest } from '../operation/operation.js';
import type { Grant } from './lock.js';

/** A request for locks as an operation sends it. */
export interface AskedLock extends LockRequest {
  /** It asks for the answer itself, by the query `grant`: what is given at once need not be told. */
  hears?: true;
}

/** What the query `grant` says of an operation: what it was given, that it waits in the queue, or that nothing is known of it. */
export type GrantAnswer = Grant | 'waits' | null;
