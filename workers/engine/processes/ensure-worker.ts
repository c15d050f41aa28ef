import type { EngineRecord, ServedEngine, UpResult } from '../../../core/engine/engine.js';
import type { Reporter } from '../../../core/report.js';
import type { Home } from '../../../home/home.js';
import { beginFleet, checkRunning, keepNeeded } from '../binary/versions-of-home.js';
import { writeRecord } from '../record.js';
import { isAlive } from './process.js';
import { ensureSupervisor } from './supervisor-process.js';
import { currentBuild, startWorker, stopStrayWorkers, stopWorker, type WorkerOptions } from './worker-process.js';

/** Process that restarts the worker after its death. */
export interface Supervision {
  /** Default true; otherwise the worker is not restarted. */
  supervise?: boolean;
  /** The pid of an existing supervisor, such as a service's. */
  supervisor?: number;
}

/**
 * Keeps a live worker of the current build. A worker of another build, or of another engine, is drained and replaced.
 * `beforeStart` is called while no worker runs.
 *
 * @throws inputError `version-in-use` if operations need the worker that would be replaced, `former-workflows` and
 * `newer-workflows` if this build cannot continue the running workflows
 */
export async function ensureWorker(
  home: Home,
  record: EngineRecord,
  options: WorkerOptions,
  report: Reporter,
  supervision: Supervision & { beforeStart?(): Promise<void> } = {},
): Promise<UpResult['worker']> {
  const worker = await withWorker(home, record, options, report, supervision.beforeStart);
  if (supervision.supervise !== false)
    await ensureSupervisor(home, options, { fresh: worker !== 'running', given: supervision.supervisor });
  return worker;
}

async function withWorker(
  home: Home,
  record: EngineRecord,
  options: WorkerOptions,
  report: Reporter,
  beforeStart?: () => Promise<void>,
): Promise<UpResult['worker']> {
  const build = currentBuild(options.dist);
  const live = record.worker && isAlive(record.worker) ? record.worker : undefined;
  if (live?.build === build && same(live.serves, record, SETTINGS)) {
    report({ task: 'worker', text: `runs already (pid ${live.pid}, build ${build})`, state: 'done' });
    if (record.deployment) await beginFleet(record, build, options.env, report);
    return 'running';
  }
  await checkRunning(home, record, options.env);
  if (live) {
    const goesOn = live.build === build && same(live.serves, record, WORK);
    if (live.serves?.deployment && !goesOn) await keepNeeded(live.serves, live.build, options.env);
    const why = live.build === build ? 'which serves another engine' : `with build ${live.build}`;
    report({ task: 'worker', text: `draining the worker ${why} (pid ${live.pid})`, state: 'running' });
    await stopWorker(live);
  }
  await stopStrayWorkers(home);
  await beforeStart?.();
  report({ task: 'worker', text: `starting build ${build}`, state: 'running' });
  const worker = await startWorker(home, options, (spawned) =>
    writeRecord(home, { ...record, worker: { ...spawned, serves: readServed(record) } }),
  );
  report({ task: 'worker', text: `polls (pid ${worker.pid}, build ${build})`, state: 'done' });
  if (record.deployment) await beginFleet(record, build, options.env, report);
  return live ? 'replaced' : 'started';
}

/** Values that must be equal for two workers to get the same operations. */
const WORK = ['kind', 'address', 'namespace', 'taskQueue', 'deployment'] as const;
/** All start parameters of a worker. */
const SETTINGS = [...WORK, 'profile', 'store', 'certificates', 'fingerprint'] as const;

const same = (a: ServedEngine | undefined, b: ServedEngine, names: readonly (keyof ServedEngine)[]): boolean =>
  a !== undefined && names.every((name) => a[name] === b[name]);

/** Returns the start parameters of a home's process. */
export const readServed = (record: EngineRecord): ServedEngine =>
  Object.fromEntries(SETTINGS.map((name) => [name, record[name]])) as Pick<EngineRecord, (typeof SETTINGS)[number]>;
