/**
 * Runs operations on sick hosts, in each situation, on a real engine and its built worker. Measures the effect on the
 * worker and on operations on healthy servers.
 *
 * `npm run sick-hosts -- --json`
 *
 * Takes about three minutes on an idle machine. Exit code 1 if anything is not as promised.
 */
import { messageOf } from '../../core/errors.js';
import { startTestEngine } from '../support/engine.js';
import { setup as keepHomes } from '../support/engines.js';
import { sicknesses } from '../support/sick-server.js';
import { LIMITS, meet } from './meet.js';
import { renderTable } from './table.js';

const json = process.argv.includes('--json');
const removeHomes = await keepHomes();
try {
  const engine = await startTestEngine();
  try {
    // Three at a time: like the concurrent operations of a small team, and no more load.
    const waves = [sicknesses.slice(0, 3), sicknesses.slice(3)];
    const met = await meet(engine, waves, (text) => void process.stderr.write(`${text}\n`));
    console.log(json ? JSON.stringify(met, undefined, 2) : renderTable(met));
    for (const fault of met.faults) process.stderr.write(`wrong: ${fault}\n`);
    if (met.faults.length === 0) process.stderr.write(`all as promised: ${JSON.stringify(LIMITS)}\n`);
    process.exitCode = met.faults.length === 0 ? 0 : 1;
  } finally {
    await engine.stop();
  }
} catch (error) {
  console.error(messageOf(error));
  process.exitCode = 1;
} finally {
  await removeHomes();
}
