import { setTimeout as sleep } from 'node:timers/promises';
import { unreachableError } from '../../../sdk/index.js';

/** How often something is asked for, before the caller is told to begin again with what there is then. */
const ASKS = 60;
/** How often an absence has to be said before it is believed: reads lag behind what was just made. */
const LOOKS = 3;

export interface Patience {
  pollMs: number;
  signal?: AbortSignal | undefined;
}

/** Asks again and again until the answer is true; a transient error (`aws-not-settled`) where it stays false for long. */
export async function waitUntil({ pollMs, signal }: Patience, what: string, on: string, is: () => Promise<boolean>): Promise<void> {
  for (let asks = 0; asks < ASKS; asks++) {
    signal?.throwIfAborted();
    if (await is()) return;
    await sleep(pollMs, undefined, { signal });
  }
  throw createNotSettled(what, on);
}

/** What is found at the first look or one of the next; undefined when all of them say that there is nothing. */
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

/** It was there a moment ago, or is about to be: the next try tells. */
export const createNotSettled = (what: string, on: string) =>
  unreachableError({ code: 'aws-not-settled', what, on, why: 'AWS returned another state than a moment ago' });
