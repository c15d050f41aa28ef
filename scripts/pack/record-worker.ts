/**
 * `record-worker.ts PACK OUT DIST`: runs the worker of a pack until it misses its engine, and its thread with the bundle
 * of workflows. Writes the code that V8 compiled.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Script } from 'node:vm';
import { isMainThread, parentPort, Worker } from 'node:worker_threads';
import { openPack } from '../../cli/start/pack.js';
import { homeOf } from '../../home/home.js';
import { runWorkerPack } from '../../workers/start/worker-pack.js';
import { codesIn, codesOf, recordCode } from './record-code.js';

const [path = '', out = '', dist = ''] = process.argv.slice(2);

function openBare() {
  const pack = openPack(path);
  if (!pack) throw new Error(`there is no ${path}`);
  return pack;
}

/** Runs the SDK's thread, and hands over its code when it is asked to. */
function runThread(): void {
  const scripts = runWorkerPack(openBare(), dist, 'thread');
  parentPort?.on('message', (message) => {
    if (message === 'record') parentPort?.postMessage({ code: codesOf(scripts) });
  });
}

/** Has a thread load the bundle of workflows. Returns its code. */
async function recordThread(): Promise<Uint8Array> {
  // A thread does not inherit the loader of TypeScript.
  const self = `import('tsx/esm/api').then(({ register }) => (register(), import(${JSON.stringify(import.meta.url)})))`;
  const thread = new Worker(self, { eval: true, argv: [path, out, dist] });
  const answer = () =>
    new Promise<{ code?: Uint8Array }>((resolve, reject) => thread.once('message', resolve).once('error', reject));
  const [code = '', map = ''] = readFileSync(join(dist, 'workflows.js'), 'utf8').split('//# sourceMappingURL=data:');
  const sourceMap = JSON.parse(Buffer.from(map.slice(map.indexOf('base64,') + 'base64,'.length), 'base64').toString('utf8'));
  const workflowBundle = { code, sourceMap, filename: join(dist, 'workflows.js') };
  const init = { type: 'init', workflowBundle, isolateExecutionTimeoutMs: 30_000, reuseV8Context: true };
  thread.postMessage({ requestId: 0n, input: { ...init, registeredActivityNames: new Set() } });
  await answer();
  thread.postMessage('record');
  for (;;) {
    const { code } = await answer();
    if (!code) continue;
    await thread.terminate();
    return code;
  }
}

/** Writes the record of an engine that does not answer. The worker loads all its modules before it connects. */
function writeEngine(): void {
  const { engine } = homeOf();
  mkdirSync(engine, { recursive: true });
  const address = process.env.TEMPORAL_ADDRESS;
  writeFileSync(
    join(engine, 'engine.json'),
    JSON.stringify({ kind: 'configured', address, namespace: 'default', taskQueue: 'none' }),
  );
}

if (isMainThread) {
  const thread = Buffer.from(await recordThread());
  writeEngine();
  let scripts: ReadonlyMap<string, Script> = new Map();
  process.on('exit', () => recordCode(out, [...codesIn(thread), ...codesIn(codesOf(scripts))]));
  scripts = runWorkerPack(openBare(), dist, 'worker');
} else {
  runThread();
}
