import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ProcessMark, WorkerRecord } from '../../../core/engine/engine.js';
import { bugError, unreachableError } from '../../../core/errors.js';
import type { Home } from '../../../home/home.js';
import { WORKER_FLAGS } from '../../start/worker-pack.js';
import { startDaemon, tail, textFrom } from './daemon.js';
import { logBytesIn, startMsIn } from './daemon-settings.js';
import { processesWith } from './listener.js';
import { isAlive, readProcessMark, stop } from './process.js';

/**
 * Limits of glibc's memory. By default glibc gives threads their own arenas, up to eight for each processor. It also
 * keeps more freed memory the larger the freed blocks were (mallopt(3)). Temporal's core has many threads, and
 * operations on thousands of machines hand large data from run to run. Two arenas and glibc's initial thresholds use a
 * third less memory.
 */
const SMALL_ARENAS = { MALLOC_ARENA_MAX: '2', MALLOC_MMAP_THRESHOLD_: '131072', MALLOC_TRIM_THRESHOLD_: '131072' };

const READY = 'worker ready';
const DRAIN_MS = 30_000;

export interface WorkerOptions {
  /** Folder of the built code. */
  dist: string;
  cache: string;
  env: NodeJS.ProcessEnv;
}

const workerLog = (home: Home): string => join(home.logs, 'worker.log');

/** Returns the program that starts the worker, compiled in advance if possible. */
const programIn = (dist: string): string => {
  const packed = join(dist, 'worker.cjs');
  return existsSync(packed) ? packed : join(dist, 'worker.js');
};

/** Returns the content hash of the present worker build. */
export function currentBuild(dist: string): string {
  const file = join(dist, 'build-id');
  if (existsSync(file) && existsSync(join(dist, 'worker.js'))) return readFileSync(file, 'utf8').trim();
  throw bugError({
    code: 'not-built',
    what: 'start the worker',
    on: dist,
    why: 'the worker is not built',
    hint: 'run `npm run build`',
  });
}

/**
 * Starts the worker and waits until it polls.
 *
 * @param onSpawn called at once, so that the worker is recorded before it is ready
 * @throws unreachableError `worker-start` with the end of its log
 */
export async function startWorker(
  home: Home,
  options: WorkerOptions,
  onSpawn: (worker: Omit<WorkerRecord, 'serves'>) => Promise<void>,
): Promise<Omit<WorkerRecord, 'serves'>> {
  const { dist, env, cache } = options;
  const build = currentBuild(dist);
  const daemon = await startDaemon({
    command: process.execPath,
    args: [
      '--enable-source-maps',
      ...WORKER_FLAGS,
      '--require',
      join(dist, 'workflow-threads.cjs'),
      programIn(dist),
      homeArgument(home),
    ],
    cwd: home.root,
    env: { ...SMALL_ARENAS, ...env, PROVISIONING_HOME: home.root, PROVISIONING_CACHE: cache },
    log: workerLog(home),
    logBytes: logBytesIn(env),
  });
  const failed = (why: string) =>
    unreachableError({
      code: 'worker-start',
      what: 'start the worker',
      why: `${why}: ${tail(workerLog(home), daemon.logFrom)}`,
      hint: `see ${workerLog(home)}`,
    });
  const worker = { pid: daemon.pid, started: daemon.started, build, since: new Date().toISOString() };
  await onSpawn(worker);
  const startMs = startMsIn(env);
  for (const until = Date.now() + startMs; !textFrom(workerLog(home), daemon.logFrom).includes(READY); await sleep(50)) {
    if (!isAlive(daemon)) throw failed('it ended');
    if (Date.now() > until) {
      await stopWorker(daemon);
      throw failed(`it was not ready within ${startMs / 1000} s`);
    }
  }
  return worker;
}

/** Gives the worker 30 s to finish its work; the next worker continues the rest. */
export const stopWorker = (mark: ProcessMark) => stop(mark, DRAIN_MS);

/** Ends unrecorded workers of this home, which would continue to poll with other code. */
export async function stopStrayWorkers(home: Home): Promise<void> {
  for (const { pid } of processesWith(homeArgument(home))) {
    const mark = readProcessMark(pid);
    if (mark) await stopWorker(mark);
  }
}

/** Names the home of the worker, in the list of processes; the worker itself reads its environment. */
const homeArgument = (home: Home): string => `--home=${home.root}`;
