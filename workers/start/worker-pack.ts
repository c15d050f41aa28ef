import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Script } from 'node:vm';
import { openPack, type Pack, runPack, thisNode } from '../../cli/start/pack.js';

/**
 * Limits of V8 for a worker. V8 lets a heap grow to about twice its live size before it collects garbage, and thousands
 * of operations leave much garbage behind. V8 accepts compiled code only from a process with the same flags, so the
 * pack is recorded with them, too.
 */
export const WORKER_FLAGS: readonly string[] = ['--heap-growing-percent=30', '--max-semi-space-size=8'];

/** Name of the pack in the folder of the built code. */
export const WORKER_PACK = 'worker.pack';

/** First chunk of each program in the pack. */
export const CHUNKS = { worker: 'worker.js', thread: 'workflow-thread.js', failures: 'failures.js' } as const;

/** Key of the open pack among the data that a worker hands to its threads. */
export const PACK_FILE = 'provisioning-worker-pack';

/** Name under which Temporal's SDK in the pack asks for the file of its threads. */
export const THREAD_FILE = 'packed:workflow-thread';

/**
 * Opens the worker's pack, if this Node can use it and it belongs to the built code. An interrupted build leaves the pack
 * of the former build: its worker would run former workflows under the new build's name.
 *
 * @param dist folder of the built code
 */
export function openWorkerPack(dist: string): Pack | undefined {
  const pack = openPack(join(dist, WORKER_PACK));
  return pack?.index.node === thisNode() && isOfBuild(pack, dist) ? pack : undefined;
}

function isOfBuild({ index: { build } }: Pack, dist: string): boolean {
  try {
    return build !== undefined && build === readFileSync(join(dist, 'build-id'), 'utf8').trim();
  } catch {
    // The worker reads the file, too, and says why it cannot.
    return false;
  }
}

/**
 * Runs a program of the worker's pack.
 *
 * @param dist folder of the built code
 */
export function runWorkerPack(pack: Pack, dist: string, program: keyof typeof CHUNKS): Map<string, Script> {
  return runPack(pack, join(dist, 'worker.js'), {
    entry: CHUNKS[program],
    replaced: {
      [THREAD_FILE]: { value: join(dist, 'workflow-thread.cjs') },
      // The SDK loads it by its path. As a file it would load parts of the SDK once more.
      [join(dist, 'failure-converter.cjs')]: { chunk: CHUNKS.failures },
    },
  });
}
