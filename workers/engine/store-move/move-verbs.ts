import { join } from 'node:path';
import { inputError } from '../../../core/errors.js';
import type { Reporter } from '../../../core/report.js';
import type { Home } from '../../../home/home.js';
import { holdLock } from '../processes/lock.js';
import { readSides, refuseFixed } from './move-sides.js';

/**
 * Runs `store check|copy|switch` of the engine's program; the variable `STORE_MOVE_TO` names the target.
 *
 * @param dist folder of the built worker; default: of this package
 * @throws inputError `bad-arguments`, and the errors of each verb
 */
export async function moveVerb(home: Home, verb: string | undefined, report: Reporter, dist?: string): Promise<unknown> {
  if (verb !== 'check' && verb !== 'copy' && verb !== 'switch')
    throw inputError({ code: 'bad-arguments', what: 'run the engine', why: `unknown verb "store ${verb ?? ''}"` });
  const sides = await readSides(home, process.env);
  if (verb === 'check') return (await import('./check-move.js')).checkMove(sides, report);
  await refuseFixed(sides);
  const { copyOnly, moveStore } = await import('./switch-store.js');
  // One run at a time: two runs would remove each other's copies.
  return holdLock(join(home.engine, 'store-move.lock'), () =>
    verb === 'copy' ? copyOnly(sides, report) : moveStore(sides, dist, report),
  );
}
