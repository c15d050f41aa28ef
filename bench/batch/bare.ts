import { fork } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client, Connection } from '@temporalio/client';
import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker';
import { describeRecordedService } from '../../settings/temporal-service.js';
import type { TestEngine } from '../../test/support/engine.js';
import { readRecord } from '../../workers/engine/record.js';
import { type CpuSeconds, cpuOf, secondsOf, spent } from './cpu.js';
import { QUEUE } from './wanted.js';

/** Maximum number of concurrent starts. */
const AT_ONCE = 50;

export interface Bare {
  /** Client without our code, and without encryption. */
  temporal: Client;
  pid: number | undefined;
}

const workflowsPath = fileURLToPath(new URL('bare-workflow.ts', import.meta.url));
let bundled: Promise<string> | undefined;
/** Bundles the bare workflow once for all workers of a process. */
const bundle = async (): Promise<string> => {
  bundled ??= bundleWorkflowCode({ workflowsPath, logger: new DefaultLogger('WARN') }).then(({ code }) => code);
  return bundled;
};

/** Runs a worker with only the bare workflow, on the server of an engine, while the work runs. */
export async function withBareWorker<T>(engine: TestEngine, work: (bare: Bare) => Promise<T>): Promise<T> {
  const record = await readRecord(engine.home);
  if (!record) throw new Error('no engine runs');
  const code = join(engine.home.root, 'bare-workflow.js');
  await writeFile(code, await bundle());
  const args = [record.address, record.namespace, join(engine.home.root, 'bare.json'), record.certificates ?? '', code];
  const worker = fork(fileURLToPath(new URL('bare-worker.ts', import.meta.url)), args, {
    execArgv: ['--import', 'tsx'],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const connection = await Connection.connect({
    address: record.address,
    ...(await describeRecordedService(record, engine.env))?.connection,
  });
  try {
    await once(worker, 'message');
    return await work({ temporal: new Client({ connection, namespace: record.namespace }), pid: worker.pid });
  } finally {
    worker.kill('SIGTERM');
    await connection.close();
  }
}

/** Measures a bare loop: a workflow with one activity per operation, on the same server, with a separate worker. */
export function bareLoop(engine: TestEngine, count: number): Promise<{ seconds: number; cpu: CpuSeconds }> {
  return withBareWorker(engine, async ({ temporal, pid }) => {
    // The first run loads shared code.
    await temporal.workflow.execute('bare', { workflowId: 'bare-warm', taskQueue: QUEUE, args: ['warm'] });
    const before = { worker: await secondsOf(pid), server: (await cpuOf(engine)).server };
    const started = performance.now();
    const names = Array.from({ length: count }, (_, index) => `web-${index + 1}`);
    const results: Promise<unknown>[] = [];
    await Promise.all(
      Array.from({ length: AT_ONCE }, async () => {
        for (let name = names.shift(); name; name = names.shift()) {
          const handle = await temporal.workflow.start('bare', {
            workflowId: `bare-${name}`,
            taskQueue: QUEUE,
            args: [name],
          });
          results.push(handle.result());
        }
      }),
    );
    await Promise.all(results);
    const seconds = (performance.now() - started) / 1_000;
    const after = { worker: await secondsOf(pid), server: (await cpuOf(engine)).server };
    return { seconds, cpu: spent(before, after) };
  });
}
