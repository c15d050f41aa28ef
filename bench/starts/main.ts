/**
 * How soon a worker works again after a kill -9, by the number of idle infras that the engine has. Needs `npm run build`.
 * `SIZES` (default 0,100,1000,10000) and `RUNS` (default 3, of which the median counts) are settings. The first start after
 * infras were begun lists them to see their versions; each further one lists only what was begun since.
 */
import { startTestEngine } from '../../test/support/engine.js';
import { growIdleInfras } from '../idle-infras.js';
import { median } from '../measure.js';
import { keepResult, machine, printTable } from '../report.js';

/** It is ready within so many seconds, with as many infras as there are. */
const GOAL = 5;
const SIZES = (process.env.SIZES ?? '0,100,1000,10000').split(',').map(Number);
const RUNS = Number(process.env.RUNS ?? 3);

const engine = await startTestEngine();
try {
  const rows: { infras: number; seconds: number; first: number }[] = [];
  for (const [index, infras] of SIZES.entries()) {
    await growIdleInfras(engine, SIZES[index - 1] ?? 0, infras);
    const times: number[] = [];
    for (let run = 0; run < RUNS; run++) {
      await engine.killWorker();
      const started = performance.now();
      await engine.up();
      times.push((performance.now() - started) / 1_000);
    }
    rows.push({ infras, seconds: median(times), first: times[0] ?? 0 });
  }
  process.stdout.write(`${machine()}; ${RUNS} kills each\n`);
  printTable(
    ['idle infras', 'ready after', 'the first time', 'goal'],
    rows.map(({ infras, seconds, first }) => [
      String(infras),
      `${seconds.toFixed(1)} s`,
      `${first.toFixed(1)} s`,
      `within ${GOAL} s`,
    ]),
  );
  const missed = rows.filter(({ seconds }) => seconds > GOAL).map(({ infras }) => infras);
  process.stdout.write(missed.length > 0 ? `MISSED with ${missed.join(', ')}\n` : 'reached\n');
  await keepResult('starts', { runs: RUNS, goal: GOAL, rows });
} finally {
  await engine.stop();
}
