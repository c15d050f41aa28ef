import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ProcessMark } from '../../../core/engine/engine.js';
import type { Home } from '../../../home/home.js';
import { startDaemon } from './daemon.js';
import { logBytesIn } from './daemon-settings.js';
import { processesWith } from './listener.js';
import { isAlive, readProcessMark, stop } from './process.js';
import { currentBuild, type WorkerOptions } from './worker-process.js';

/**
 * The process that restarts the worker of a home after its death. Its record shows whether it is still the supervisor.
 */
export interface SupervisorRecord extends ProcessMark {
  /** Content hash of the code that it was started with. */
  build: string;
}

/** It needs next to nothing. */
const SMALL = ['--max-semi-space-size=1', '--max-old-space-size=64'];
const STOP_MS = 5_000;

const recordPath = (home: Home) => join(home.engine, 'supervisor.json');
/** Names the home of the supervisor, in the list of processes. */
const homeArgument = (home: Home): string => `--supervises=${home.root}`;

export async function readSupervisor(home: Home): Promise<SupervisorRecord | undefined> {
  try {
    return JSON.parse(await readFile(recordPath(home), 'utf8')) as SupervisorRecord;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT' || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

export async function recordSupervisor(home: Home, record: SupervisorRecord): Promise<void> {
  const draft = `${recordPath(home)}.${process.pid}`;
  await writeFile(draft, `${JSON.stringify(record)}\n`, { mode: 0o600 });
  await rename(draft, recordPath(home));
}

/**
 * Keeps a live supervisor of the current build, and otherwise starts one.
 *
 * @param fresh the worker was just started, perhaps with another environment, so the supervisor must be started again
 * too
 * @param given an existing supervisor, such as a service's
 */
export async function ensureSupervisor(
  home: Home,
  { dist, env, cache }: WorkerOptions,
  { fresh, given }: { fresh: boolean; given?: number },
): Promise<void> {
  const build = currentBuild(dist);
  const recorded = await readSupervisor(home);
  const live = recorded && isAlive(recorded) ? recorded : undefined;
  const mark = given === undefined ? undefined : readProcessMark(given);
  if (mark) {
    if (live && live.pid !== mark.pid) await stop(live, STOP_MS);
    return recordSupervisor(home, { ...mark, build });
  }
  if (live?.build === build && !fresh) return;
  await stopSupervisor(home);
  const { pid, started } = await startDaemon({
    command: process.execPath,
    args: [...SMALL, join(dist, 'supervisor.js'), homeArgument(home)],
    cwd: home.root,
    env: { ...env, PROVISIONING_HOME: home.root, PROVISIONING_CACHE: cache },
    log: join(home.logs, 'supervisor.log'),
    logBytes: logBytesIn(env),
  });
  await recordSupervisor(home, { pid, started, build });
}

/** Ends the supervisor of a home, and unrecorded ones; the worker continues. */
export async function stopSupervisor(home: Home): Promise<void> {
  const recorded = await readSupervisor(home);
  await rm(recordPath(home), { force: true });
  if (recorded) await stop(recorded, STOP_MS);
  for (const { pid } of processesWith(homeArgument(home))) {
    const mark = readProcessMark(pid);
    if (mark) await stop(mark, STOP_MS);
  }
}
