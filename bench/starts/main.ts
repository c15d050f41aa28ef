/**
 * Measures how soon a worker works again after a kill -9, by the engine's number of idle infras. The first start after
 * new infras lists them to read their versions; each further one lists only new ones. Needs `npm run build`. `SIZES`
 * (default 0,100,1000,10000) and `RUNS` (default 3, the median counts).
 */
import { startTestEngine } from '../../test/support/engine.js';
import { growIdleInfras } from '../idle-infras.js';
import { median } from '../measure.js';
import { keepResult, machine, printTable } from '../report.js';

/** Maximum seconds until it is ready, for any number of infras. */
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
