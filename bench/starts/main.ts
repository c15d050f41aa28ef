/**
 * How soon a worker works again after a kill -9, by the number of idle infras that the engine has. Needs `npm run build`.
 * `SIZES` (default 0,100,1000,10000) and `RUNS` (default 3, of which the median counts) are settings. The first start after
 * infras were begun lists them to see their versions; each further one lists only what was begun since.
 */
import { emptyInventory } from '../../core/infra/inventory.js';
import { infraWorkflowId } from '../../core/names.js';
import { startTestEngine, type TestEngine } from '../../test/support/engine.js';
import { eventually } from '../../test/support/operations.js';
import { median } from '../measure.js';
import { keepResult, machine, printTable } from '../report.js';

/** It is ready within so many seconds, with as many infras as there are. */
const GOAL = 5;
const SIZES = (process.env.SIZES ?? '0,100,1000,10000').split(',').map(Number);
const RUNS = Number(process.env.RUNS ?? 3);
/** Infras that are begun side by side. */
const AT_ONCE = 50;

/** Begins idle infras, each with a network, until there are so many. */
async function growTo(engine: TestEngine, from: number, to: number): Promise<void> {
  const begin = async (index: number) => {
    const infra = `idle-${index}`;
    const inventory = {
      ...emptyInventory({ workspace: 'default', infra, uuid: 'b5a1c0de-0000-4000-8000-000000000000' }),
      networks: { kept: { name: 'kept', provider: 'demo', id: 'x', since: 'bench' } },
    };
    await engine.temporal.workflow.start('infra', {
      workflowId: infraWorkflowId('default', infra),
      taskQueue: engine.taskQueue,
      args: [{ workspace: 'default', infra, state: { inventory } }],
    });
  };
  for (let at = from; at < to; at += AT_ONCE)
    await Promise.all(Array.from({ length: Math.min(AT_ONCE, to - at) }, (_, index) => begin(at + index)));
  // What they begin with has been taken in.
  const last = engine.temporal.workflow.getHandle(infraWorkflowId('default', `idle-${to - 1}`));
  if (to > from) await eventually(() => last.query('locks'), 600_000);
}

const engine = await startTestEngine();
try {
  const rows: { infras: number; seconds: number; first: number }[] = [];
  for (const [index, infras] of SIZES.entries()) {
    await growTo(engine, SIZES[index - 1] ?? 0, infras);
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
