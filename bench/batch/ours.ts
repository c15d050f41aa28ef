import { setTimeout as sleep } from 'node:timers/promises';
import { countMarks } from '../../core/operation/batch-rows.js';
import type { OperationRequest } from '../../core/operation/operation.js';
import { batchOf } from '../../test/support/batches.js';
import { demoDefinition } from '../../test/support/definition.js';
import type { TestEngine } from '../../test/support/engine.js';
import { readRecord } from '../../workers/engine/record.js';
import { peakOf } from '../measure.js';
import { type CpuSeconds, cpuOf, spent } from './cpu.js';

/** Number of servers per infra. */
const EACH = 500;

export interface BatchRun {
  seconds: number;
  /** Peak memory of the worker, `VmHWM`. */
  peakMiB: number;
  /** Number of workflow runs. */
  runs: number;
  cpu: CpuSeconds;
}

let batches = 0;

/** Runs a batch of operations, each of which creates a server, from its submission to its end. */
export async function batchRun(engine: TestEngine, count: number, parallel: number): Promise<BatchRun> {
  const each = Math.min(EACH, count);
  // Another batch may be on the same engine.
  const infra = `farm${count}-${batches++}`;
  const plan = await batchOf(
    `bench-${count}`,
    {
      parallel,
      onFailure: 'keep',
      operations: [
        { name: 'make', kind: 'server', file: 'farm.json', infra: `${infra}-{i}`, count: count / each, forEach: 'server' },
      ],
    },
    { 'farm.json': { infra, provider: 'demo', servers: [{ name: 'web', count: each }] } },
  );
  const client = await engine.client();
  const id = `batch-bench-${infra}-${process.pid}`;
  const before = await cpuOf(engine);
  const started = performance.now();
  await client.batches.submit({ ...plan, id, workspace: 'default', actor: 'bench' });
  let ended = false;
  const end = client.batches.result({ batch: id }).finally(() => {
    ended = true;
  });
  end.catch(() => {});
  while (!ended) {
    await Promise.race([end.catch(() => {}), sleep(5_000)]);
    const { marks, continued } = await client.batches.state({ batch: id });
    const { done = 0, running = 0 } = countMarks(marks);
    const seconds = (performance.now() - started) / 1_000;
    process.stderr.write(`  ${seconds.toFixed(0)} s: ${done} done, ${running} running, run ${continued + 1}\n`);
  }
  const result = await end;
  const seconds = (performance.now() - started) / 1_000;
  if (result.status !== 'done')
    throw new Error(`the batch ${result.status}: ${JSON.stringify(Object.entries(result.why).slice(0, 3))}`);
  const peakMiB = peakOf((await readRecord(engine.home))?.worker?.pid);
  return { seconds, peakMiB, runs: result.continued + 1, cpu: spent(before, await cpuOf(engine)) };
}

/** Measures the same operations, submitted individually by a client that waits for all, in seconds. */
export async function clientLoop(engine: TestEngine, count: number): Promise<number> {
  const definition = demoDefinition('loop', { servers: [{ name: 'web', count: Math.min(EACH, count) }] });
  const client = await engine.client();
  const requests = Array.from({ length: count }, (_, index): OperationRequest => {
    const infra = `loop-${Math.floor(index / EACH)}`;
    const name = `web-${(index % EACH) + 1}`;
    // The same definition for all operations of an infra, which otherwise would wait for each other.
    const own = { ...definition, infra };
    return {
      id: `loop-${index}`,
      kind: 'server',
      workspace: 'default',
      infra,
      actor: 'bench',
      intent: { verb: 'ensure', servers: [name] },
      definition: own,
    };
  });
  const started = performance.now();
  const results: Promise<unknown>[] = [];
  await Promise.all(
    Array.from({ length: 50 }, async () => {
      for (let request = requests.shift(); request; request = requests.shift()) {
        await client.operations.submit({ request });
        results.push(client.operations.result({ operation: request.id }));
      }
    }),
  );
  await Promise.all(results);
  return (performance.now() - started) / 1_000;
}
