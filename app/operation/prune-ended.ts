import { readSetting } from '../../settings/settings.js';
import { listedOperations } from '../../stores/rows/projections/listed-operations.js';
import type { Rows } from '../../stores/rows.js';

const DAY_MS = 24 * 3_600_000;

/** How long the store lists what has ended, in days. */
export interface ListRetention {
  operations: number;
  /** They change nothing, and there are many of them. */
  previews: number;
}

/** @param env a settled environment, with the settings. */
export const readListRetention = (env: NodeJS.ProcessEnv): ListRetention => ({
  operations: readSetting(env, 'lists.operations') ?? 3 * 365,
  previews: readSetting(env, 'lists.previews') ?? 30,
});

/** Deletes ended operations that are too old from the store's list. @param now milliseconds since 1970 */
export async function pruneEnded(rows: Rows, now: number, { operations, previews }: ListRetention): Promise<void> {
  const table = rows.table(listedOperations);
  const before = (days: number) => new Date(now - days * DAY_MS).toISOString();
  await table.deleteSorted({ where: { preview: 'yes' }, below: before(previews) });
  await table.deleteSorted({ where: { preview: 'no' }, below: before(operations) });
}
