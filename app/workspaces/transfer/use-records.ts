import { resolveEnvironment } from '../../../settings/settings.js';
import { openRecords } from '../../../stores/open-records.js';
import type { StoreRecords } from '../../../stores/records.js';
import type { Engine } from '../../engine.js';
import { homeOfEngine } from '../../home-of-engine.js';

/**
 * Runs work on all data that the platform stores outside of Temporal, and closes the store.
 *
 * @throws unreachableError `no-worker` in a process without the home, and as `openRecords`
 */
export async function useRecords<T>(engine: Engine, work: (records: StoreRecords) => Promise<T>): Promise<T> {
  const { home, env } = homeOfEngine(engine);
  const records = await openRecords(home, await resolveEnvironment(home, env));
  try {
    return await work(records);
  } finally {
    await records.close();
  }
}
