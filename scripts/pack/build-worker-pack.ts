import { basename, join } from 'node:path';
import { build } from 'esbuild';
import { CHUNKS, WORKER_FLAGS, WORKER_PACK } from '../../workers/start/worker-pack.js';
import { FAILURES } from '../build-workflows.js';
import { lazyPackages } from '../lazy-packages.js';
import { buildPack } from './build-pack.js';
import { packSdk } from './pack-sdk.js';

/** Packages outside the pack: native code, files beside their modules, and large packages that few workers load. */
const OUTSIDE = [
  ...['ssh2', 'cpu-features', 'dockerode', 'pg', '@aws-sdk/*', 'libsql', 'esbuild'],
  ...['quickjs-emscripten-core', '@jitl/quickjs-wasmfile-release-sync'],
];

/**
 * Writes `dist/worker.pack`: the worker and the thread of its workflows with their libraries, and V8's code cache. A
 * worker loads two thousand modules, which Node would find, read and compile at each start.
 *
 * @param banner see `PackedProgram`
 */
export async function buildWorkerPack(root: string, banner: string): Promise<void> {
  const dist = join(root, 'dist');
  const { outputFiles = [] } = await build({
    absWorkingDir: root,
    entryPoints: {
      [nameOf(CHUNKS.worker)]: 'workers/worker.ts',
      [nameOf(CHUNKS.thread)]: 'node_modules/@temporalio/worker/lib/workflow/workflow-worker-thread.js',
      [nameOf(CHUNKS.failures)]: FAILURES,
    },
    outdir: dist,
    chunkNames: 'chunks/[name]-[hash]',
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    minifySyntax: true,
    minifyWhitespace: true,
    legalComments: 'none',
    banner: { js: banner },
    external: OUTSIDE,
    plugins: [packSdk(root), lazyPackages(OUTSIDE)],
    write: false,
    logLevel: 'error',
  });
  const chunks = new Map(outputFiles.map(({ path, text }) => [basename(path), text]));
  await buildPack(root, {
    target: join(dist, WORKER_PACK),
    chunks,
    banner,
    runs: [{ script: 'scripts/pack/record-worker.ts', args: [dist], flags: WORKER_FLAGS }],
  });
}

/** Name of an entry, from the name of its chunk. */
const nameOf = (chunk: string): string => chunk.replace(/\.js$/, '');
