/**
 * How large an operation may be: one of SERVERS servers (default 2000) with TASKSERVS (default none, a comma-separated
 * list) on each, on the demo provider. Says how long it took, the events of its history, and the peak memory of worker
 * and server. Needs `npm run build`.
 */
import { readFileSync } from 'node:fs';
import { demoDefinition } from '../../test/support/definition.js';
import { startTestEngine } from '../../test/support/engine.js';
import { submit } from '../../test/support/operations.js';
import { readRecord } from '../../workers/engine/record.js';
import { keepResult, machine, printTable } from '../report.js';

const SERVERS = Number(process.env.SERVERS ?? 2_000);
const TASKSERVS = (process.env.TASKSERVS ?? '').split(',').filter(Boolean);

/** Of a process, in MiB; the most that it had. */
const peakOf = (pid: number | undefined): number =>
  pid === undefined ? Number.NaN : Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024;

/** Entries of at most 500 servers each. */
const groups = (servers: number) =>
  Array.from({ length: Math.ceil(servers / 500) }, (_, index) => ({
    name: `s${index}`,
    count: Math.min(500, servers - index * 500),
  }));

const engine = await startTestEngine({ PROVISIONING_CHECK_ANSWERS: '0' });
try {
  const definition = demoDefinition('large', { servers: groups(SERVERS), taskservs: TASKSERVS });
  const record = await readRecord(engine.home);
  const began = performance.now();
  const operation = await submit(engine, { infra: 'large', definition });
  const { status, error } = await (await engine.client()).operations.result({ operation });
  const seconds = (performance.now() - began) / 1_000;
  const { historyLength } = await engine.temporal.workflow.getHandle(operation).describe();
  const sameWorker = (await readRecord(engine.home))?.worker?.pid === record?.worker?.pid;
  const result = {
    servers: SERVERS,
    taskservs: TASKSERVS.join(','),
    status,
    error,
    seconds,
    events: historyLength,
    workerMiB: peakOf(record?.worker?.pid),
    serverMiB: peakOf(record?.server?.pid),
    sameWorker,
  };
  await keepResult('large', result);
  process.stdout.write(`${machine()}\n`);
  printTable(
    ['servers', 'taskservs', 'status', 's', 'events', 'worker MiB', 'server MiB'],
    [
      [
        String(SERVERS),
        TASKSERVS.join(',') || '-',
        error ? `${status}: ${error.why}` : status,
        seconds.toFixed(1),
        String(historyLength),
        result.workerMiB.toFixed(0),
        result.serverMiB.toFixed(0),
      ],
    ],
  );
} finally {
  await engine.stop();
}
