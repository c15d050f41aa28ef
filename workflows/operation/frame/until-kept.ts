import { CancellationScope, isCancellation, proxyActivities, workflowInfo } from '@temporalio/workflow';
import type { Activities } from '../../../activities/index.js';
import type { Keeping, ToldChanges } from '../../../activities/infra/feed.js';
import { versionOf } from '../../../core/engine/workflows-version.js';
import type { InventoryChange } from '../../../core/infra/inventory.js';
import type { Lock } from '../../../core/infra/lock.js';
import { type HowNear, nearOrQueued } from '../../near-or-queued.js';

/** The version of workflows since which operations wait for it. */
const KEPT_SINCE = 2;
/** How long it is waited for within the operation's own task, in milliseconds; it takes a few where all is well. */
const NEAR_MS = 2_000;
/**
 * How long an attempt waits that goes through the queue, in milliseconds: between two of them it takes no place on the
 * worker, which has 200 for all, among them the one where the entity asks whether the store can be written to again.
 */
const AFAR_MS = 1_000;

const afar = proxyActivities<Activities>({
  startToCloseTimeout: '1 minute',
  retry: { initialInterval: '200 ms', maximumInterval: '10 s' },
});

/** Whether operations of this run wait until what they did is kept. */
export const waitsForStore = (): boolean => versionOf(workflowInfo().memo) >= KEPT_SINCE;

const SUMMARY = 'Wait for the store';

/** The first wait, from within the operation's own task. */
const waitNear = (told: ToldChanges, say: HowNear['say']) =>
  nearOrQueued('awaitKept', [{ ...told, forMs: NEAR_MS }], { say, summary: SUMMARY });

/**
 * Gives the grant back from within the operation's own task, and waits there for the store. Done again, it changes nothing;
 * but who has it done again may meanwhile be told to stop, so it is for those alone that have nothing to undo.
 *
 * @param waits whether anything is waited for
 */
export const endNear =
  (under: () => Lock, changes: InventoryChange[], waits: boolean) => (told: ToldChanges, say: HowNear['say']) => {
    const input = { ...told, changes, forMs: waits ? NEAR_MS : 0 };
    return nearOrQueued('endGrant', [input], { under, say, summary: 'Give the lock back' });
  };

/**
 * Waits until the store has all that an operation told its infra: before that nobody hears that it is done.
 *
 * @param say is told what keeps it waiting
 * @param outage receives that nothing answers at all
 */
export function untilKept(
  told: ToldChanges,
  say: (keeping: NonNullable<Keeping>) => void,
  outage: HowNear['say'],
  first: (told: ToldChanges, say: HowNear['say']) => Promise<Keeping> = waitNear,
): Promise<void> {
  return CancellationScope.nonCancellable(async () => {
    try {
      let keeping = await first(told, outage);
      while (keeping) {
        say(keeping);
        const known = keeping.trouble?.since ?? '';
        keeping = await afar.awaitKept.executeWithOptions({ summary: SUMMARY }, [{ ...told, forMs: AFAR_MS, known }]);
      }
    } catch (error) {
      // Refused for good, as of a *Reset*: there is nobody any more to wait for.
      if (isCancellation(error)) throw error;
    }
  });
}
