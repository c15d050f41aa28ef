/**
 * Measures the cost of polling: the progress of an operation with a thousand services is queried repeatedly, and the
 * payload store must not grow. Needs `npm run build`. `POLLS` (default 9000, an hour of `follow`) and `SERVERS`
 * (default 125, eight services each).
 */
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Progress } from '../../core/operation/operation.js';
import { definitionOf } from '../../test/support/definition.js';
import { startTestEngine } from '../../test/support/engine.js';
import { largeFile } from '../../test/support/large.js';
import { eventually, submit, untilStatus } from '../../test/support/operations.js';
import { cpuOf } from '../batch/cpu.js';
import { keepResult, machine, printTable } from '../report.js';

/** Maximum growth of the store, in bytes. */
const GOAL = 1_000_000;
const POLLS = Number(process.env.POLLS ?? 9_000);
const SERVERS = Number(process.env.SERVERS ?? 125);
const AT_ONCE = 4;

async function bytesIn(folder: string): Promise<number> {
  const names = await readdir(folder, { recursive: true }).catch(() => []);
  const sizes = await Promise.all(names.map((name) => stat(join(folder, name))));
  return sizes.reduce((sum, one) => sum + (one.isFile() ? one.size : 0), 0);
}

const engine = await startTestEngine({ PROVISIONING_CHECK_ANSWERS: '0' });
try {
  const client = await engine.client();
  const definition = definitionOf(largeFile({ infra: 'large', servers: SERVERS }));
  const operation = await submit(engine, { infra: 'large', definition });
  const isPlanned = async () => {
    const { plan } = await client.operations.progress({ operation });
    if (plan.length < SERVERS) throw new Error('it has not decided yet');
  };
  await eventually(isPlanned, 600_000);
  // Pause: the operation's own writes must not be measured.
  await client.operations.pause({ operation });
  await untilStatus(engine, operation, 'paused');
  const handle = engine.temporal.workflow.getHandle(operation);
  const answer = JSON.stringify(await handle.query<Progress>('progress')).length;
  const before = { bytes: await bytesIn(engine.home.payloads), cpu: await cpuOf(engine) };
  const started = performance.now();
  let asked = 0;
  const poll = async () => {
    while (asked++ < POLLS) await handle.query<Progress>('progress');
  };
  await Promise.all(Array.from({ length: AT_ONCE }, poll));
  const seconds = (performance.now() - started) / 1_000;
  const cpu = await cpuOf(engine);
  const grown = (await bytesIn(engine.home.payloads)) - before.bytes;
  const each = {
    worker: (cpu.worker - before.cpu.worker) / POLLS,
    server: (cpu.server - before.cpu.server) / POLLS,
  };
  process.stdout.write(`${machine()}; ${SERVERS * 8} services, ${AT_ONCE} polls at a time\n`);
  const ms = (value: number) => `${(value * 1_000).toFixed(0)} ms`;
  printTable(
    ['polls', 'an answer as JSON', 'the store grew by', 'goal', 'time', 'CPU a poll of worker + server'],
    [
      [
        String(POLLS),
        `${(answer / 1e6).toFixed(1)} MB`,
        `${grown} bytes`,
        `under ${GOAL / 1e6} MB`,
        `${seconds.toFixed(0)} s`,
        `${ms(each.worker)} + ${ms(each.server)}`,
      ],
    ],
  );
  process.stdout.write(`${grown < GOAL ? 'reached' : 'MISSED'}: ${grown} bytes\n`);
  await keepResult('queries', {
    polls: POLLS,
    services: SERVERS * 8,
    goal: GOAL,
    answerBytes: answer,
    grown,
    seconds,
    cpuSeconds: each,
  });
} finally {
  await engine.stop();
}
