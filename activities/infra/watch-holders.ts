import { activityInfo, heartbeat, sleep } from '@temporalio/activity';
import type { Client } from '@temporalio/client';
import type { Closings } from './closings.js';
import { isRunning } from './is-running.js';

export interface HoldersWatch {
  operations: string[];
  /** For each the batch that it is a part of: one whose batch runs need not have begun, and is the batch's to watch. */
  batches?: (string | null)[];
  /** First pause between two looks at each of them, in milliseconds. */
  everyMs: number;
  /** How long it is watched, in milliseconds. */
  forMs: number;
}

interface Watching {
  temporal: Client;
  closings: Closings;
  stopping?: AbortSignal;
}

/**
 * Watches operations that hold or wait for locks; answers as soon as some of them have closed, however they ended, or
 * none has when the time is over. One that continued as new is open: the last of its runs counts.
 *
 * It hears within a second or two of those that closed otherwise than well. The others, such as those that were deleted,
 * are found by looking at each, with growing pauses.
 */
export async function watchHolders(
  { temporal, closings, stopping }: Watching,
  { operations, batches = [], everyMs, forMs }: HoldersWatch,
): Promise<string[]> {
  const watched = new Set([...operations, ...batches]);
  let isHit = false;
  const began = Date.now();
  const until = began + forMs;
  const stop = forMs > 0 ? closings.watch(activityInfo().currentAttemptScheduledTimestampMs, hear) : () => {};
  try {
    for (let pause = everyMs; ; pause = Math.min(2 * pause, longestAfter(Date.now() - began))) {
      isHit = false;
      const closed = await closedAmong(temporal, operations, batches);
      if (closed.length > 0 || stopping?.aborted || Date.now() >= until) return closed;
      for (const next = Date.now() + pause; !isHit && Date.now() < Math.min(next, until); ) await sleep(Math.min(everyMs, LOOK_MS));
      heartbeat();
    }
  } finally {
    stop();
  }

  function hear(closed: Parameters<Parameters<Closings['watch']>[1]>[0]): void {
    isHit ||= closed.some(({ workflow }) => watched.has(workflow));
  }
}

/** Pause between two looks at what was heard, in milliseconds. */
const LOOK_MS = 500;
/** The longest pause between two looks at each operation: in the first minute, and after eight minutes. */
const LONGEST_MS = 8_000;
const RAREST_MS = 60_000;
const longestAfter = (ms: number): number => Math.max(LONGEST_MS, Math.min(ms / 8, RAREST_MS));

async function closedAmong(temporal: Client, operations: string[], batches: (string | null)[]): Promise<string[]> {
  const closed: string[] = [];
  const running = new Map<string, boolean>();
  for (const batch of new Set(batches)) if (batch !== null) running.set(batch, await isRunning(temporal, batch));
  for (const [index, operation] of operations.entries()) {
    const batch = batches[index];
    if (!(batch && running.get(batch)) && !(await isRunning(temporal, operation))) closed.push(operation);
  }
  return closed;
}
