import { CancellationScope, isCancellation, proxyActivities, sleep } from '@temporalio/workflow';
import type { Activities } from '../../activities/index.js';
import type { Admission } from './admission.js';

/** Operations of less than this are never looked at. */
const SETTLE_MS = 2_000;
/** How long one look lasts where somebody waits: this, then twice as long each time, up to the last. */
const FIRST_LOOK_MS = 8_000;
const LONGEST_LOOK_MS = 64_000;
/** Pause between looks where nobody waits. */
const LONGEST_PAUSE_MS = 16_000;
/** Operations that one look covers. */
const LOOKED_AT = 50;

const { watchHolders } = proxyActivities<Activities>({
  startToCloseTimeout: '5 minutes',
  heartbeatTimeout: '30 s',
  retry: { maximumInterval: '10 s' },
});

/**
 * Looks whether those that hold locks still live: first those for whom others
 * wait, else all in turn. It looks on its own time, so that operations that
 * come and go add nothing to the entity's history.
 */
export function watcherOf(admission: Admission, ended: (operations: string[]) => void): { look(): void; stop(): void } {
  const parent = CancellationScope.current();
  let scope: CancellationScope | undefined;
  let at = 0;

  /** Those to look at next; the others take turns. */
  const next = (): string[] => {
    const blocking = admission.blocking(LOOKED_AT);
    if (blocking.length > 0) return blocking;
    const holders = admission.holders().map(({ operation }) => operation);
    const page = holders.slice(at, at + LOOKED_AT);
    at = at + LOOKED_AT >= holders.length ? 0 : at + LOOKED_AT;
    return page;
  };

  let pause = SETTLE_MS;
  let forMs = FIRST_LOOK_MS;
  let last = '';
  const lookOnce = async () => {
    const somebodyWaits = admission.blocking(1).length > 0;
    const operations = next();
    // The longer the same ones are at it, the less often it is worth asking again.
    forMs = operations.join() === last ? Math.min(2 * forMs, LONGEST_LOOK_MS) : FIRST_LOOK_MS;
    last = operations.join();
    pause = somebodyWaits ? SETTLE_MS : Math.min(2 * pause, LONGEST_PAUSE_MS);
    if (operations.length === 0) return;
    try {
      const batches = operations.map((operation) => admission.batchOf(operation) ?? null);
      const inBatches = batches.some((batch) => batch !== null) ? { batches } : {};
      const gone = await watchHolders({ operations, ...inBatches, everyMs: 1_000, forMs: somebodyWaits ? forMs : 0 });
      if (gone.length > 0) ended(gone);
    } catch (error) {
      // Whatever went wrong with looking, there is another look.
      if (isCancellation(error)) throw error;
    }
  };

  const run = async () => {
    pause = SETTLE_MS;
    for (;;) {
      await sleep(pause);
      if (admission.size === 0) return;
      await lookOnce();
    }
  };

  return {
    look() {
      if (scope || admission.size === 0) return;
      scope = new CancellationScope({ cancellable: true, parent });
      const own = scope;
      own
        .run(run)
        .catch((error) => {
          if (!isCancellation(error)) throw error;
        })
        .finally(() => {
          if (scope === own) scope = undefined;
        });
    },
    stop: () => scope?.cancel(),
  };
}
