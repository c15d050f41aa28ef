import { listedOperations } from '../../stores/rows/projections/listed-operations.js';
import type { Rows } from '../../stores/rows.js';

const DAY_MS = 24 * 3_600_000;
/** Previews are listed for this long, in days. They change nothing, and there are many of them. */
const PREVIEW_DAYS = 30;
/** Operations are listed for this long, in days. */
const OPERATION_DAYS = 3 * 365;

/** Deletes ended operations that are too old from the store's list. @param now milliseconds since 1970 */
export async function pruneEnded(rows: Rows, now: number): Promise<void> {
  const table = rows.table(listedOperations);
  const before = (days: number) => new Date(now - days * DAY_MS).toISOString();
  await table.deleteSorted({ where: { preview: 'yes' }, below: before(PREVIEW_DAYS) });
  await table.deleteSorted({ where: { preview: 'no' }, below: before(OPERATION_DAYS) });
}
