import { CancellationScope, isCancellation, patched, proxyActivities, sleep } from '@temporalio/workflow';
import type { Activities } from '../../activities/index.js';
import type { Admission } from './admission.js';
import { LATE_MS, lookPauses } from './look-pauses.js';

/** Operations that one look covers; a long one covers more, since nothing else looks as long as it lasts. */
const LOOKED_AT = 50;
const LOOKED_AT_LONG = 500;

const { watchHolders } = proxyActivities<Activities>({
  startToCloseTimeout: '5 minutes',
  heartbeatTimeout: '30 s',
  retry: { maximumInterval: '10 s' },
});

/**
 * Looks whether those that hold locks still live: first those for whom others
 * wait, else all in turn. It looks on its own time, so that operations that
 * come and go add nothing to the entity's history.
 *
 * Each look adds eleven events to the history. When several have found no news, looks become long
 * (look-pauses.ts): the worker goes on looking, and the history does not grow. A long look ends early when it does not
 * cover a new operation, or covers one that has left.
 *
 * @param paceMs the first pause, by which all others are measured, in milliseconds
 */
export function watcherOf(
  admission: Admission,
  ended: (operations: string[]) => void,
  paceMs?: number,
): { look(): void; stop(): void } {
  const parent = CancellationScope.current();
  const pauses = lookPauses(paceMs);
  let scope: CancellationScope | undefined;
  let at = 0;
  const looks = looksOf(admission);

  /** Those to look at next; the others take turns. */
  const next = (page: number): string[] => {
    const blocking = admission.blocking(page);
    if (blocking.length > 0) return blocking;
    const holders = admission.holders().map(({ operation }) => operation);
    const found = holders.slice(at, at + page);
    at = at + page >= holders.length ? 0 : at + page;
    return found;
  };

  const lookOnce = async () => {
    const somebodyWaits = admission.blocking(1).length > 0;
    const isLong = pauses.areSpent && patched('long-looks');
    const operations = next(isLong ? LOOKED_AT_LONG : LOOKED_AT);
    const forMs = isLong ? pauses.nextLong() : pauses.next(somebodyWaits, operations);
    if (operations.length === 0 && !isLong) return;
    try {
      const gone = await (isLong ? looks.watchLong(operations, forMs) : looks.watch(operations, forMs));
      if (!gone) return pauses.begin();
      if (gone.length === 0) return;
      pauses.foundNews();
      ended(gone);
    } catch (error) {
      // Whatever went wrong with looking, there is another look.
      if (isCancellation(error)) throw error;
    }
  };

  const run = async () => {
    pauses.begin();
    for (;;) {
      const { pause } = pauses;
      await sleep(pause);
      if (admission.size === 0) return;
      await lookOnce();
    }
  };

  return {
    look() {
      looks.cutStale();
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

/** The looks at holders of locks, of which a long one can be cut short. */
function looksOf(admission: Admission) {
  let long: { covers: ReadonlySet<string>; cut(): void } | undefined;

  function watch(operations: string[], forMs: number, options: { startToCloseTimeout?: number } = {}): Promise<string[]> {
    const batches = operations.map((operation) => admission.batchOf(operation) ?? null);
    const inBatches = batches.some((batch) => batch !== null) ? { batches } : {};
    return watchHolders.executeWithOptions(options, [{ operations, ...inBatches, everyMs: 1_000, forMs }]);
  }

  /** @returns undefined if it was cut short */
  async function watchLong(operations: string[], forMs: number): Promise<string[] | undefined> {
    const own = new CancellationScope();
    let isCut = false;
    const cut = () => {
      isCut = true;
      own.cancel();
    };
    long = { covers: new Set(operations), cut };
    try {
      // Nobody holds anything while the entity admits nobody.
      if (operations.length === 0) return await own.run(() => sleep(forMs).then(() => []));
      return await own.run(() => watch(operations, forMs, { startToCloseTimeout: forMs + LATE_MS }));
    } catch (error) {
      if (isCut && isCancellation(error)) return undefined;
      throw error;
    } finally {
      long = undefined;
    }
  }

  const isStale = (covers: ReadonlySet<string>, came: string[], left: string[]): boolean =>
    left.some((operation) => covers.has(operation)) ||
    came.some((operation) => admission.concernedBy(operation).some((one) => !covers.has(one))) ||
    (covers.size === 0 && admission.held > 0);

  return {
    watch,
    watchLong,
    /** Cuts a long look short if it does not cover who came since, or covers who left. */
    cutStale() {
      const { came, left } = admission.takeNews();
      if (long && isStale(long.covers, came, left)) long.cut();
    },
  };
}
