import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { EngineRecord, ProcessMark, ServedEngine } from '../../../core/engine/engine.js';
import { type ErrorDetails, ProvisioningError, unreachableError } from '../../../core/errors.js';
import type { Reporter } from '../../../core/report.js';
import type { Home } from '../../../home/home.js';
import { startDaemon, tail, textFrom } from './daemon.js';
import { logBytesIn, startMsIn } from './daemon-settings.js';
import { readServed } from './ensure-worker.js';
import { processesWith } from './listener.js';
import { isAlive, readProcessMark, stop } from './process.js';
import { currentBuild, type WorkerOptions } from './worker-process.js';

/** The API server that `up --api` started. `down` removes the record: until then each `up` sees that the server runs. */
export interface ApiRecord extends ProcessMark {
  /** Content hash of the code that it runs. */
  build: string;
  /** ISO time. */
  since: string;
  /** The engine at the start of the server. */
  serves: ServedEngine;
  /** Requested arguments of `serve`. */
  options: string[];
  /** Absent until it listens. */
  url?: string;
  /** The port, if it listens at all addresses of the machine. */
  everywhere?: number;
  /** File of the authority that clients trust, if the home made the certificate. */
  authority?: string;
  /** URL of the orchestrator's API. */
  compat?: string;
}

/** Open requests are answered for 20 s; then the process ends automatically. */
const STOP_MS = 25_000;

const recordPath = (home: Home) => join(home.engine, 'api.json');
const logPath = (home: Home) => join(home.logs, 'api.log');
/** Names the home of the API server, in the list of processes. */
const homeArgument = (home: Home): string => `--serves=${home.root}`;

/** Returns the API server that a home should run; undefined if `up --api` was not used since the last `down`. */
export async function readApi(home: Home): Promise<ApiRecord | undefined> {
  try {
    return JSON.parse(await readFile(recordPath(home), 'utf8')) as ApiRecord;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT' || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

async function recordApi(home: Home, record: ApiRecord): Promise<void> {
  const draft = `${recordPath(home)}.${process.pid}`;
  await writeFile(draft, `${JSON.stringify(record)}\n`, { mode: 0o600 });
  await rename(draft, recordPath(home));
}

/**
 * Keeps a live API server of the current build with the same options, and replaces any other one.
 *
 * @param asked arguments of `serve`; absent: those of the record
 * @returns undefined if no API server is requested
 * @throws ProvisioningError as the server reported it, or unreachableError `api-start` with the end of its log
 */
export async function ensureApi(
  home: Home,
  engine: EngineRecord,
  worker: WorkerOptions,
  asked: readonly string[] | undefined,
  report: Reporter,
): Promise<{ record: ApiRecord; how: 'running' | 'started' | 'replaced' } | undefined> {
  const before = await readApi(home);
  const options = asked ?? before?.options;
  if (!options) return undefined;
  const live = before && isAlive(before) ? before : undefined;
  const serves = readServed(engine);
  const same = before !== undefined && isDeepStrictEqual(before.options, [...options]);
  if (live?.url !== undefined && live.build === currentBuild(worker.dist) && same && isSameEngine(live.serves, serves)) {
    report({ task: 'api', text: `runs already (pid ${live.pid}) at ${live.url}`, state: 'done' });
    return { record: live, how: 'running' };
  }
  if (live) await stop(live, STOP_MS);
  await stopStrayApis(home);
  report({ task: 'api', text: 'starting', state: 'running' });
  const place = same && before.url !== undefined ? keepPort(options, before.url) : options;
  const record = await startApi(home, worker, { serves, options: [...options], place });
  report({ task: 'api', text: `serves at ${record.url} (pid ${record.pid})`, state: 'done' });
  return { record, how: live ? 'replaced' : 'started' };
}

// Absent values are not in the file.
const isSameEngine = (a: ServedEngine, b: ServedEngine): boolean => JSON.stringify(a) === JSON.stringify(b);

/** A port that was chosen freely stays the same when the server is started again: clients know its URL. */
function keepPort(options: readonly string[], url: string): string[] {
  return options.map((option) => (/^--listen=.*:0$/.test(option) ? option.replace(/0$/, new URL(url).port) : option));
}

async function startApi(
  home: Home,
  { dist, env, cache }: WorkerOptions,
  { serves, options, place }: { serves: ServedEngine; options: string[]; place: readonly string[] },
): Promise<ApiRecord> {
  const daemon = await startDaemon({
    command: process.execPath,
    args: ['--enable-source-maps', join(dist, 'serve.js'), ...place, '--no-code', homeArgument(home)],
    cwd: home.root,
    env: { ...env, PROVISIONING_HOME: home.root, PROVISIONING_CACHE: cache },
    log: logPath(home),
    logBytes: logBytesIn(env),
  });
  const { pid, started } = daemon;
  const record = { pid, started, build: currentBuild(dist), since: new Date().toISOString(), serves, options };
  await recordApi(home, record);
  const startMs = startMsIn(env);
  for (const until = Date.now() + startMs; ; await sleep(50)) {
    const wasAlive = isAlive(daemon);
    const said = readAnswer(textFrom(logPath(home), daemon.logFrom));
    if (said && 'error' in said) throw new ProvisioningError(said.error);
    if (said) {
      const ready = { ...record, ...said.result };
      await recordApi(home, ready);
      return ready;
    }
    if (!wasAlive) throw notStarted(home, `it ended: ${tail(logPath(home), daemon.logFrom)}`);
    if (Date.now() > until) {
      await stop(daemon, STOP_MS);
      throw notStarted(home, `it was not ready within ${startMs / 1000} s: ${tail(logPath(home), daemon.logFrom)}`);
    }
  }
}

const notStarted = (home: Home, why: string) =>
  unreachableError({ code: 'api-start', what: 'start the API server', why, hint: `see ${logPath(home)}` });

/** Reads the single line of JSON with the server's answer; its log has other lines too. */
export function readAnswer(
  log: string,
): { result: Pick<ApiRecord, 'everywhere' | 'authority' | 'compat'> & { url: string } } | { error: ErrorDetails } | undefined {
  const line = log.split('\n').findLast((text) => text.startsWith('{"result":') || text.startsWith('{"error":'));
  if (line === undefined) return undefined;
  try {
    return JSON.parse(line) as ReturnType<typeof readAnswer>;
  } catch {
    // It is not written whole yet.
    return undefined;
  }
}

/** Ends the API server of a home, which answers its open requests first. @returns whether one ran */
export async function stopApi(home: Home, report: Reporter): Promise<boolean> {
  const recorded = await readApi(home);
  const live = recorded && isAlive(recorded) ? recorded : undefined;
  if (live) {
    report({ task: 'api', text: `stopping (pid ${live.pid})`, state: 'running' });
    await stop(live, STOP_MS);
    report({ task: 'api', text: 'stopped', state: 'done' });
  }
  await stopStrayApis(home);
  await forgetApi(home);
  return live !== undefined;
}

/** A later `up` starts it only on request. */
export const forgetApi = (home: Home): Promise<void> => rm(recordPath(home), { force: true });

async function stopStrayApis(home: Home): Promise<void> {
  for (const { pid } of processesWith(homeArgument(home))) {
    const mark = readProcessMark(pid);
    if (mark) await stop(mark, STOP_MS);
  }
}
