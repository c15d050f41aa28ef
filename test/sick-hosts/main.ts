/**
 * Has operations meet sick hosts, in each situation, on a real engine and its built worker, and
 * looks at what that does to the worker and to operations on healthy servers beside them.
 *
 *   npm run sick-hosts -- --json
 *
 * About three minutes on an idle machine. Exit code 1 where anything is not as promised.
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
    // Three at a time: as many operations side by side as a small team has, and no more load than that.
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
