import type { Fleet } from '../../core/engine/fleet.js';
import { inputError } from '../../core/errors.js';
import type { Engine } from '../engine.js';
import { translateFault } from '../temporal/fault.js';
import { type FleetPlace, fleetNow, locateFleet } from './fleet.js';

/** Returns the build of the home's worker. @throws inputError `unknown-version` */
export function findBuild({ build }: Pick<Engine, 'build'>): string {
  if (build !== undefined) return build;
  const hint = 'choose a build from `provisioning fleet status`';
  throw inputError({ code: 'unknown-version', what: 'promote the version', why: 'this home has no worker', hint });
}

type Connection = Engine['temporal']['connection'];

/**
 * Changes the routing of new operations, and returns the resulting fleet.
 *
 * @throws inputError `no-fleet`, and the errors of `change`
 */
export async function routeFleet(
  { temporal, deployment }: Engine,
  change: (connection: Connection, place: FleetPlace) => Promise<void>,
): Promise<Fleet> {
  const place = locateFleet({ namespace: temporal.options.namespace, ...(deployment !== undefined && { deployment }) });
  try {
    await change(temporal.connection, place);
    return await fleetNow(temporal.connection, place);
  } catch (error) {
    throw translateFault(error, 'the fleet');
  }
}
