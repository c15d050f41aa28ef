import type { LockRequest } from '../operation/operation.js';
import type { Grant } from './lock.js';

/** A request for locks as an operation sends it. */
export interface AskedLock extends LockRequest {
  /** It asks for the answer itself, by the query `grant`: what is given at once need not be told. */
  hears?: true;
}

/** Answer of the query `grant` about an operation: its grant, that it waits in the queue, or null if it is unknown. */
export type GrantAnswer = Grant | 'waits' | null;
