import { idempotencyKeys } from '../../stores/rows/idempotency-keys.js';
import type { Rows } from '../../stores/rows.js';

/** Rows of one query. */
const QUERY = 500;
/** Days before today whose keys may have been left by servers that did not run. */
const DAYS = 30;

/**
 * Deletes the keys that have ended. A key may stay for a day longer: it has no effect then.
 *
 * @param now in milliseconds
 * @returns the number of deleted keys
 */
export async function forgetKeys(rows: Rows, now = Date.now()): Promise<number> {
  const table = rows.table(idempotencyKeys);
  let deleted = 0;
  for (let back = 0; back < DAYS; back++) {
    const day = new Date(now - back * 86_400_000).toISOString().slice(0, 10);
    for (;;) {
      const { rows: found } = await table.list({ where: { day }, limit: QUERY });
      for (const { row, revision } of found) if (await table.delete({ id: row.id }, revision)) deleted++;
      if (found.length < QUERY) break;
    }
  }
  return deleted;
}
