import { setTimeout as sleep } from 'node:timers/promises';

/** Asks again and again until the answer is true. */
export async function until(pollMs: number, signal: AbortSignal | undefined, is: () => Promise<boolean>): Promise<void> {
  for (;;) {
    signal?.throwIfAborted();
    if (await is()) return;
    await sleep(pollMs, undefined, { signal });
  }
}
