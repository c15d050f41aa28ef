import { setTimeout as sleep } from 'node:timers/promises';
import type { Engine } from '../app/engine.js';
import { type ListRetention, pruneEnded } from '../app/operation/prune-ended.js';
import { createReconciler } from '../app/operation/reconcile-ends.js';
import { messageOf } from '../core/errors.js';
import type { Rows } from '../stores/rows.js';

/** Interval in which the list of ended operations is aligned with Temporal's, in milliseconds. */
const EVERY_MS = 30_000;
/** Pause between two passes while there is more to write, in milliseconds, because others use the store too. */
const PAUSE_MS = 500;
/** How often old rows are deleted, in milliseconds. */
const PRUNE_MS = 3_600_000;

/**
 * Keeps the store's list of ended operations aligned with Temporal's, until it is stopped. If there are several
 * workers, only one does it. Lists are complete without it, because Temporal lists operations that the store does not
 * have yet.
 *
 * @param holder names this process
 * @param retention how long ended operations stay in the list
 */
export function keepLists(
  engine: Engine,
  rows: () => Promise<Rows>,
  { holder, retention }: { holder: string; retention: ListRetention },
): { stop(): void } {
  const stop = new AbortController();
  const pause = (ms: number) => sleep(ms, undefined, { ref: false, signal: stop.signal }).catch(() => {});
  void (async () => {
    let reconcile: ReturnType<typeof createReconciler> | undefined;
    let prunedAt = Number.NEGATIVE_INFINITY;
    let more = false;
    for (; ; more = false) {
      await pause(more ? PAUSE_MS : EVERY_MS);
      if (stop.signal.aborted) return;
      try {
        const opened = await rows();
        reconcile ??= createReconciler(engine, opened, { holder });
        const done = await reconcile();
        more = done?.complete === false;
        if (done && performance.now() - prunedAt > PRUNE_MS) {
          prunedAt = performance.now();
          await pruneEnded(opened, Date.now(), retention);
        }
      } catch (error) {
        if (!stop.signal.aborted) console.error(`the list of ended operations was not written: ${messageOf(error)}`);
      }
    }
  })();
  return { stop: () => stop.abort() };
}
