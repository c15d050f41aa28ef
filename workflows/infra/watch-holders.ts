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
 * (look-pauses.ts): the worker goes on looking, and the history does not grow. A long look ends early if a covered operation
 * has left, or if an operation waits for a holder that is not covered. Other holders that are not covered end it after a
 * while: most of them give their locks back before.
 *
 * @param paceMs the first pause, by which all others are measured, in milliseconds
 */
export function createWatcher(
  admission: Admission,
  ended: (operations: string[]) => void,
  paceMs?: number,
): { look(): void; stop(): void } {
  const parent = CancellationScope.current();
  const pauses = lookPauses(paceMs);
  let scope: CancellationScope | undefined;
  let at = 0;
  const looks = looksOf(admission, pauses.graceMs);

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

/**
 * The looks at holders of locks, of which a long one can be cut short.
 *
 * @param graceMs how long an operation that a long look does not cover may hold locks, in milliseconds
 */
function looksOf(admission: Admission, graceMs: number) {
  let long: { covers: ReadonlySet<string>; cut(): void; cutFor(newcomers: readonly string[]): void } | undefined;

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
    const newcomers = newcomersOf(admission, graceMs, cut);
    long = { covers: new Set(operations), cut, cutFor: newcomers.came };
    try {
      // While the entity admits no request, no operation holds a lock.
      if (operations.length === 0) return await own.run(() => sleep(forMs).then(() => []));
      return await own.run(() => watch(operations, forMs, { startToCloseTimeout: forMs + LATE_MS }));
    } catch (error) {
      if (isCut && isCancellation(error)) return undefined;
      throw error;
    } finally {
      long = undefined;
      newcomers.stop();
    }
  }

  const isStale = (covers: ReadonlySet<string>, came: string[], left: string[]): boolean =>
    left.some((operation) => covers.has(operation)) ||
    came.some((operation) => admission.concernedBy(operation).some((one) => one !== operation && !covers.has(one))) ||
    (covers.size === 0 && admission.held > 0);

  return {
    watch,
    watchLong,
    /** Cuts a long look short, if it has to cover other operations now; for an operation that was admitted at once, later. */
    cutStale() {
      const { came, left } = admission.takeNews();
      if (!long) return;
      const { covers, cut, cutFor } = long;
      if (isStale(covers, came, left)) return cut();
      const admitted = came.filter((operation) => !covers.has(operation) && admission.holder(operation));
      if (admitted.length === 0) return;
      if (patched('long-looks-wait')) cutFor(admitted);
      else cut();
    },
  };
}

/** Operations that were admitted during a long look. The look is cut short if one of them still holds locks after a while. */
function newcomersOf(admission: Admission, graceMs: number, cut: () => void) {
  let scope: CancellationScope | undefined;
  const next = new Set<string>();

  async function run(): Promise<void> {
    while (next.size > 0) {
      const these = [...next];
      next.clear();
      await sleep(graceMs);
      if (these.some((operation) => admission.holder(operation))) return cut();
    }
    scope = undefined;
  }

  return {
    came(operations: readonly string[]) {
      for (const operation of operations) next.add(operation);
      if (scope) return;
      scope = new CancellationScope();
      scope.run(run).catch((error) => {
        if (!isCancellation(error)) throw error;
      });
    },
    stop: () => scope?.cancel(),
  };
}
