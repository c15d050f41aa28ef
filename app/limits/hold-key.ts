import type { IdempotencyKey } from '../../stores/rows/idempotency-keys.js';
import type { RevisedRow, RowTable } from '../../stores/rows.js';

/**
 * Duration for which a call counts as running, in milliseconds. The call renews it three times within this duration.
 */
export const LEASE_MS = 15_000;
/** Maximum length of a stored answer, in characters. */
const MOST_ANSWER = 65_536;

type KeyTable = RowTable<IdempotencyKey, 'id'>;

/** A key that a call has taken. */
export type HeldKey = ReturnType<typeof holdKey>;

/** Returns the time after a number of milliseconds from now. */
export const isoAfter = (ms: number): string => new Date(Date.now() + ms).toISOString();

/** Renews the lease of a key while its call runs, until the call has an answer or has failed. */
export function holdKey(table: KeyTable, held: RevisedRow<IdempotencyKey>) {
  let now = held;
  let last = Promise.resolve();
  const write = (row: IdempotencyKey) => {
    last = last
      .catch(() => {})
      .then(async () => {
        const revision = await table.compareAndSet(row, now.revision);
        if (revision !== undefined) now = { row, revision };
      });
    return last;
  };
  const timer = setInterval(() => {
    write({ ...now.row, until: isoAfter(LEASE_MS) }).catch(() => {});
  }, LEASE_MS / 3);
  timer.unref();
  const stop = async () => {
    clearInterval(timer);
    await last.catch(() => {});
  };
  return {
    async answer(answer: unknown) {
      await stop();
      const { until: _, ...row } = now.row;
      const text = answer === undefined ? undefined : JSON.stringify(answer);
      const isLarge = text !== undefined && text.length > MOST_ANSWER;
      await write({ ...row, ...(isLarge ? { tooLarge: true } : text !== undefined && { answer: text }) });
    },
    /** The next call with the key continues. */
    async leave() {
      await stop();
      await write({ ...now.row, until: isoAfter(0) });
    },
    async free(): Promise<void> {
      await stop();
      await table.delete({ id: now.row.id }, now.revision);
    },
  };
}
