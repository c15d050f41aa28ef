import type { Home } from '../../config/home.js';
import type { EngineRecord, UpResult } from '../../core/engine.js';
import type { Reporter } from '../../core/report.js';
import { isAlive } from './process.js';
import { writeRecord } from './record.js';
import { beginFleet, keepNeeded } from './versions-of-home.js';
import { currentBuild, startWorker, stopStrayWorkers, stopWorker, type WorkerOptions } from './worker-process.js';

/**
 * Leaves a live worker of the current build alone; drains one of another build,
 * or one that serves another engine, and starts the current one.
 *
 * @param before what was recorded when the live worker was started
 */
export async function ensureWorker(
  home: Home,
  record: EngineRecord,
  before: EngineRecord | undefined,
  options: WorkerOptions,
  report: Reporter,
): Promise<UpResult['worker']> {
  const build = currentBuild(options.dist);
  const live = record.worker && isAlive(record.worker) ? record.worker : undefined;
  if (live?.build === build && before && servesSame(before, record)) {
    report({ task: 'worker', text: `runs already (pid ${live.pid}, build ${build})`, state: 'done' });
    return 'running';
  }
  if (live) {
    if (live.build !== build && before?.deployment) await keepNeeded(before, live.build, options.env);
    const why = live.build === build ? 'which serves another engine' : `of build ${live.build}`;
    report({ task: 'worker', text: `draining the worker ${why} (pid ${live.pid})`, state: 'running' });
    await stopWorker(live);
  }
  await stopStrayWorkers(home);
  report({ task: 'worker', text: `starting build ${build}`, state: 'running' });
  const worker = await startWorker(home, options, (spawned) => writeRecord(home, { ...record, worker: spawned }));
  report({ task: 'worker', text: `polls (pid ${worker.pid}, build ${build})`, state: 'done' });
  if (record.deployment) await beginFleet(record, build, options.env, report);
  return live ? 'replaced' : 'started';
}

const servesSame = (a: EngineRecord, b: EngineRecord): boolean =>
  (['kind', 'address', 'namespace', 'taskQueue', 'profile', 'store', 'deployment'] as const).every((name) => a[name] === b[name]);
