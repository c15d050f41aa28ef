import { basename, join } from 'node:path';
import { build } from 'esbuild';
import { CHUNKS, WORKER_FLAGS, WORKER_PACK } from '../../workers/start/worker-pack.js';
import { FAILURES } from '../build-workflows.js';
import { lazyPackages } from '../lazy-packages.js';
import { buildPack } from './build-pack.js';
import { packSdk } from './pack-sdk.js';
import { PROGRAM_OPTIONS, REQUIRE } from './program-options.js';

/** Packages outside the pack: native code, files beside their modules, and large packages that few workers load. */
const OUTSIDE = [
  ...['ssh2', 'cpu-features', 'dockerode', 'pg', '@aws-sdk/*', 'libsql', 'esbuild'],
  ...['quickjs-emscripten-core', '@jitl/quickjs-wasmfile-release-sync'],
];

/**
 * Writes `dist/worker.pack`: the worker and the thread of its workflows with their libraries, and V8's code cache. A
 * worker loads two thousand modules, which Node would find, read and compile at each start.
 *
 * @param built content hash of the built code
 * @returns warnings
 */
export async function buildWorkerPack(root: string, built: string): Promise<string[]> {
  const dist = join(root, 'dist');
  const { outputFiles = [] } = await build({
    ...PROGRAM_OPTIONS,
    absWorkingDir: root,
    entryPoints: {
      [nameOf(CHUNKS.worker)]: 'workers/worker.ts',
      [nameOf(CHUNKS.thread)]: 'node_modules/@temporalio/worker/lib/workflow/workflow-worker-thread.js',
      [nameOf(CHUNKS.failures)]: FAILURES,
    },
    outdir: dist,
    external: OUTSIDE,
    plugins: [packSdk(root), lazyPackages(OUTSIDE)],
    logLevel: 'error',
  });
  const chunks = new Map(outputFiles.map(({ path, text }) => [basename(path), text]));
  return await buildPack(root, {
    target: join(dist, WORKER_PACK),
    chunks,
    banner: REQUIRE,
    build: built,
    runs: [{ script: 'scripts/pack/record-worker.ts', args: [dist], flags: WORKER_FLAGS }],
  });
}

/** Name of an entry, from the name of its chunk. */
const nameOf = (chunk: string): string => chunk.replace(/\.js$/, '');
