/**
 * How long one operation takes on its own: a server with a service on the demo
 * provider, in turn with a bare workflow of as many activities in a row on the
 * same server. Needs `npm run build`.
 */
import { demoDefinition } from '../../test/support/definition.js';
import { startTestEngine, type TestEngine } from '../../test/support/engine.js';
import { runWell } from '../../test/support/operations.js';
import { type Bare, withBareWorker } from '../batch/bare.js';
import { QUEUE } from '../batch/wanted.js';
import { median } from '../measure.js';
import { keepResult, machine, printTable } from '../report.js';

/** The floor has no locks, inventory, record, questions or encryption: each needs a word with the infra. */
const GOAL = 2.5;
const RUNS = Number(process.env.RUNS ?? 9);

async function seconds(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return (performance.now() - started) / 1_000;
}

function operationOn(engine: TestEngine, infra: string) {
  return runWell(engine, { infra, definition: demoDefinition(infra, { servers: [{ name: 'web' }], taskservs: ['redis'] }) });
}

async function activitiesOf(engine: TestEngine, operation: string): Promise<number> {
  const { events } = await engine.temporal.workflow.getHandle(operation).fetchHistory();
  return (events ?? []).filter((event) => event.activityTaskScheduledEventAttributes).length;
}

const bareOf = ({ temporal }: Bare, name: string, times: number) =>
  temporal.workflow.execute('bare', { workflowId: name, taskQueue: QUEUE, args: [name, times] });

const engine = await startTestEngine();
try {
  const { operation } = await operationOn(engine, 'warm');
  const activities = await activitiesOf(engine, operation);
  const times = { ours: [] as number[], again: [] as number[], bare: [] as number[] };
  await withBareWorker(engine, async (bare) => {
    await bareOf(bare, 'warm', activities);
    for (let turn = 1; turn <= RUNS; turn++) {
      times.bare.push(await seconds(() => bareOf(bare, `bare-${turn}`, activities)));
      times.ours.push(await seconds(() => operationOn(engine, `shop-${turn}`)));
      times.again.push(await seconds(() => operationOn(engine, `shop-${turn}`)));
    }
  });
  const [ours, again, bare] = [median(times.ours), median(times.again), median(times.bare)];
  process.stdout.write(`${machine()}; medians of ${RUNS} runs each, in turn\n`);
  printTable(
    ['what', 'activities', 'time', 'ratio', 'goal'],
    [
      ['bare workflow', String(activities), `${(bare * 1_000).toFixed(0)} ms`, '1', ''],
      ['operation', String(activities), `${(ours * 1_000).toFixed(0)} ms`, (ours / bare).toFixed(2), `at most ${GOAL}`],
      ['operation with nothing to do', '', `${(again * 1_000).toFixed(0)} ms`, (again / bare).toFixed(2), ''],
    ],
  );
  process.stdout.write(`${ours / bare <= GOAL ? 'reached' : 'MISSED'}: ${(ours / bare).toFixed(2)} of ${GOAL}\n`);
  await keepResult('operation', { runs: RUNS, goal: GOAL, activities, ratio: ours / bare, medianSeconds: { ours, again, bare } });
} finally {
  await engine.stop();
}
