import { fleetNow, locateFleet, promote, ramp } from '../../app/fleet/fleet.js';
import type { Fleet } from '../../core/engine/fleet.js';
import { inputError, unreachableError } from '../../core/errors.js';
import type { Home } from '../../home/home.js';
import { resolveEnvironment } from '../../settings/settings.js';
import { useService } from './binary/versions-of-home.js';
import { readRecord } from './record.js';

export type FleetAsk = { verb: 'status' } | { verb: 'promote'; build?: string } | { verb: 'ramp'; build: string; percent: number };

/**
 * Shows a home's fleet, or changes the routing of new operations. Returns the resulting fleet, with the operations
 * that still run on each version.
 *
 * @throws inputError `no-fleet`, `unknown-version`
 */
export async function fleet(home: Home, ask: FleetAsk): Promise<Fleet> {
  const record = await readRecord(home);
  if (!record) {
    const why = 'no engine is running for this home';
    throw unreachableError({ code: 'engine-not-running', what: 'find the engine', on: home.root, why, hint: 'provisioning up' });
  }
  const place = locateFleet(record);
  return useService(record, await resolveEnvironment(home), async (connection) => {
    if (ask.verb === 'promote') {
      const build = ask.build ?? record.worker?.build;
      if (!build) {
        const hint = 'choose a build from `provisioning fleet status`';
        throw inputError({ code: 'unknown-version', what: 'promote the version', why: 'this home has no worker', hint });
      }
      await promote(connection, place, build);
    }
    if (ask.verb === 'ramp') await ramp(connection, place, ask.build, ask.percent);
    return fleetNow(connection, place);
  });
}
