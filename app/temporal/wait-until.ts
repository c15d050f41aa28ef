import type { Client as Temporal } from '@temporalio/client';

/** Waits for an answer of Temporal. The signal ends the call itself, so that no call continues without a reader. */
export const waitUntil = <T>(temporal: Temporal, signal: AbortSignal | undefined, wait: () => Promise<T>): Promise<T> =>
  signal ? temporal.withAbortSignal(signal, wait) : wait();
