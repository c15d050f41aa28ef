import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { unreachableError } from '../../core/errors.js';
import { resourceLocks } from '../../stores/rows/locks/resource-locks.js';
import type { Rows } from '../../stores/rows.js';

/** Time after which a holder that has not unlocked counts as dead. A change of a resource takes milliseconds. */
const LEASE_MS = 60_000;
/** How long an editor waits for those before it. */
const PATIENCE_MS = 15_000;
const MOST_PAUSE_MS = 40;

/**
 * Waits until no other call changes a resource, in any instance, and locks it.
 *
 * @returns a function that unlocks it
 * @throws unreachableError `resource-busy` after 15 seconds
 */
export async function holdResource(rows: Rows, resource: string): Promise<() => Promise<void>> {
  const table = rows.table(resourceLocks);
  const key = { resource: createHash('sha256').update(resource).digest('base64url') };
  const end = Date.now() + PATIENCE_MS;
  while (Date.now() < end) {
    const found = await table.get(key);
    if (!found || Date.parse(found.row.until) < Date.now()) {
      const until = new Date(Date.now() + LEASE_MS).toISOString();
      const held = await table.compareAndSet({ ...key, until }, found?.revision);
      if (held !== undefined) return async () => void (await table.delete(key, held));
    }
    // Editors that wait at the same time do not come at the same time.
    await sleep(5 + Math.random() * MOST_PAUSE_MS);
  }
  const why = 'another call is changing it';
  throw unreachableError({ code: 'resource-busy', what: 'change', on: resource, why, hint: 'try again' });
}
