/**
 * Measures a large operation: SERVERS servers (default 2000) with TASKSERVS (default none, comma-separated) on each, on
 * the demo provider. Reports the duration, the runs with the events of the longest, and the peak memory of worker and
 * server. With `DISTURB=1` its worker is killed three times, it is paused and resumed, and finally rolled back. Needs
 * `npm run build`.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { demoDefinition } from '../../test/support/definition.js';
import { startTestEngine } from '../../test/support/engine.js';
import { eventually, submit } from '../../test/support/operations.js';
import { keepResult, machine, printTable } from '../report.js';
import { groupsOf } from '../server-groups.js';
import { peaksOf } from './peaks.js';

const SERVERS = Number(process.env.SERVERS ?? 2_000);
const TASKSERVS = (process.env.TASKSERVS ?? '').split(',').filter(Boolean);
const DISTURB = process.env.DISTURB === '1';
/** Interval between two disturbances, in milliseconds. */
const APART_MS = Number(process.env.APART_MS ?? 30_000);

/** Returns the number of events in each run. */
async function eventsOfRuns(operation: string): Promise<number[]> {
  const events: number[] = [];
  for await (const { runId } of engine.temporal.workflow.list({ query: `WorkflowId = '${operation}'` }))
    events.push((await engine.temporal.workflow.getHandle(operation, runId).describe()).historyLength);
  return events;
}

/** Kills the worker repeatedly, and then pauses the operation. Returns a description. */
async function disturb(operation: string): Promise<string> {
  let kills = 0;
  while (kills < 3) {
    await sleep(APART_MS);
    await engine.killWorker();
    await engine.up();
    kills++;
  }
  await sleep(APART_MS);
  const client = await engine.client();
  await client.operations.pause({ operation });
  await eventually(async () => {
    const { status } = await client.operations.progress({ operation });
    if (status !== 'paused') throw new Error(`it is ${status}`);
  }, 300_000);
  await client.operations.resume({ operation });
  return `${kills} workers killed, paused once`;
}

/** Waits for the result of an operation, and returns a row of the table. */
async function measured(what: string, operation: string, began: number) {
  const { status, error } = await (await engine.client()).operations.result({ operation });
  const events = await eventsOfRuns(operation);
  return { what, status, error, seconds: (performance.now() - began) / 1_000, runs: events.length, events: Math.max(...events) };
}

const engine = await startTestEngine({ PROVISIONING_CHECK_ANSWERS: '0' });
const peaks = peaksOf(engine);
try {
  const definition = demoDefinition('large', { servers: groupsOf(SERVERS), taskservs: TASKSERVS });
  let began = performance.now();
  const operation = await submit(engine, { infra: 'large', definition });
  const done = DISTURB ? await disturb(operation) : 'undisturbed';
  const rows = [await measured(done, operation, began)];
  if (DISTURB) {
    began = performance.now();
    const back = { infra: 'large', intent: { verb: 'rollback', of: operation }, allowDestroy: true } as const;
    rows.push(await measured('rolled back', await submit(engine, back), began));
    const left = await (await engine.client()).infras.inventory({ workspace: 'default', infra: 'large' });
    const servers = left?.servers ?? {};
    rows.push({
      what: `${Object.keys(servers).length} servers left`,
      status: 'done',
      error: undefined,
      seconds: 0,
      runs: 0,
      events: 0,
    });
  }
  const result = { servers: SERVERS, taskservs: TASKSERVS.join(','), rows, workerMiB: peaks.worker, serverMiB: peaks.server };
  await keepResult(DISTURB ? 'large-disturbed' : 'large', result);
  process.stdout.write(`${machine()}; ${SERVERS} servers, ${TASKSERVS.join(',') || 'no services'}\n`);
  printTable(
    ['what', 'status', 's', 'runs', 'events'],
    rows.map(({ what, status, error, seconds, runs, events }) => [
      what,
      error ? `${status}: ${error.why}` : status,
      seconds.toFixed(1),
      String(runs),
      String(events),
    ]),
  );
  process.stdout.write(
    `peak of ${peaks.workers} workers ${peaks.worker.toFixed(0)} MiB, of the server ${peaks.server.toFixed(0)} MiB\n`,
  );
} finally {
  peaks.stop();
  await engine.stop();
}
