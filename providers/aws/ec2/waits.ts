import { setTimeout as sleep } from 'node:timers/promises';
import { unreachableError } from '../../../sdk/index.js';

/** Maximum number of requests before the caller must start again with the current state. */
const ASKS = 60;
/** Number of lookups before an absence is trusted: reads lag behind writes. */
const LOOKS = 3;

export interface Patience {
  pollMs: number;
  signal?: AbortSignal | undefined;
}

/** Polls until the answer is true. Throws the transient error `aws-not-settled` if it stays false for long. */
export async function waitUntil({ pollMs, signal }: Patience, what: string, on: string, is: () => Promise<boolean>): Promise<void> {
  for (let asks = 0; asks < ASKS; asks++) {
    signal?.throwIfAborted();
    if (await is()) return;
    await sleep(pollMs, undefined, { signal });
  }
  throw createNotSettled(what, on);
}

/** Returns the result of the first successful lookup; undefined if none of the attempts finds anything. */
export async function lookUntilBelieved<T>(
  { pollMs, signal }: Patience,
  look: () => Promise<T | undefined>,
): Promise<T | undefined> {
  for (let looks = 1; ; looks++) {
    const found = await look();
    if (found !== undefined || looks === LOOKS) return found;
    await sleep(pollMs / 3, undefined, { signal });
  }
}

/** Creates the error for a resource that has just existed or will soon exist: the next attempt decides. */
export const createNotSettled = (what: string, on: string) =>
  unreachableError({ code: 'aws-not-settled', what, on, why: 'AWS returned another state than a moment ago' });
