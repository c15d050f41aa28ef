import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ProcessMark, ServerRecord } from '../../../core/engine/engine.js';
import { unreachableError } from '../../../core/errors.js';
import { SEARCH_ATTRIBUTES } from '../../../core/names.js';
import type { Home } from '../../../home/home.js';
import { type Binary, lineOf } from '../binary/version.js';
import { type Daemon, startDaemon, tail } from '../processes/daemon.js';
import { logBytesIn, startMsIn } from '../processes/daemon-settings.js';
import { processesWith } from '../processes/listener.js';
import type { Ports } from '../processes/ports.js';
import { isAlive, readProcessMark, stop } from '../processes/process.js';
import { engineEnvironment } from '../service/environment.js';
import { lineOfState, markFinished, markUnfinished, stateFile, wrongLine } from '../state-file.js';
import { ensureCertificates } from './certificates.js';
import { isServing } from './serving.js';

const HOST = '127.0.0.1';
/** The server writes its state through at each step, so that even a kill loses nothing; it only ends current calls. */
const STOP_MS = 10_000;
/**
 * Number of events that may arrive for a workflow during a task before the server begins the task again; 100 by
 * default (history.maximumBufferedEventsBatch of Temporal's server 1.31). In an operation on thousands of servers,
 * that many activities end within a task of one second. Each time its whole history was replayed.
 */
const BUFFERED_EVENTS = 2_000;

/**
 * Temporal reads the queue of a shard at most 20 times a second by default. A server on a file has one shard, so each
 * hop of a single operation waited up to 50 ms for its turn.
 */
const POLLS_PER_SECOND = 100;

const serverLog = (home: Home): string => join(home.logs, 'temporal.log');
export const addressOf = (ports: Ports): string => `${HOST}:${ports.grpc}`;
/** Returns the socket of the Web UI, which `provisioning ui` proxies. */
export const webUiSocket = (home: Home): string => join(home.engine, 'ui.sock');

/** Addresses and certificates of a home's server. */
export type ServerAddress = { address: string; ui: string; certificates?: string };

/**
 * Returns the addresses of a server with this binary: with certificates, and without a port of the Web UI, if it
 * supports that.
 */
export function describeReached(home: Home, binary: Pick<Binary, 'mutualTls'>, ports: Ports, certificates: string): ServerAddress {
  const address = addressOf(ports);
  if (!binary.mutualTls) return { address, ui: `http://${HOST}:${ports.ui}` };
  return { address, ui: `unix:${webUiSocket(home)}`, certificates };
}

/**
 * Starts Temporal on the home's file and waits until it serves.
 *
 * @param folder of its certificates
 * @throws inputError `engine-file-version` if another line of servers created the file
 * @throws unreachableError `engine-start` with the end of its log, `engine-certificates`
 */
export async function startServer(
  home: Home,
  binary: Binary,
  ports: Ports,
  namespace: string,
  folder: string,
  env: NodeJS.ProcessEnv,
): Promise<ServerRecord> {
  const offered = lineOf(binary.serverVersion);
  const line = await lineOfState(home);
  if (line !== undefined && line !== offered) throw wrongLine(home, line, binary.serverVersion);
  const { address, certificates } = describeReached(home, binary, ports, folder);
  if (certificates) await ensureCertificates(binary, certificates, env);
  if (line === undefined) await markUnfinished(home, offered);
  const start = async () => {
    const daemon = await startDaemon({
      command: binary.path,
      args: certificates ? ownArguments(home, ports, namespace, certificates) : cliArguments(home, ports, namespace),
      cwd: home.engine,
      env: engineEnvironment(env),
      log: serverLog(home),
      logBytes: logBytesIn(env),
    });
    await serving(home, daemon, { address, certificates, startMs: startMsIn(env) });
    return daemon;
  };
  const daemon = await start().catch((error: unknown) => {
    // It chooses most of its ports itself, and another program may take one before it does.
    if (error instanceof Error && error.message.includes('address already in use')) return start();
    throw error;
  });
  await markFinished(home, offered);
  const { pid, started } = daemon;
  const { version, serverVersion, path } = binary;
  return { pid, started, version, serverVersion, binary: path, since: new Date().toISOString() };
}

export const stopServer = (mark: ProcessMark) => stop(mark, STOP_MS);

/**
 * Stops servers that use this home's file without a record, because their `up` was killed before it could record them.
 * Two servers would corrupt the file.
 */
export async function stopStrays(home: Home): Promise<void> {
  for (const { pid } of processesWith('--db-filename', stateFile(home))) {
    const mark = readProcessMark(pid);
    if (mark) await stopServer(mark);
  }
}

/** Returns the arguments of the engine that is built here. Every user can read them, so keys come from the folder. */
function ownArguments(home: Home, ports: Ports, namespace: string, certificates: string): string[] {
  return [
    ...['serve', '--certificates', certificates, '--ui-socket', webUiSocket(home)],
    ...['--port', String(ports.grpc)],
    ...sharedArguments(home, namespace),
  ];
}

/** Of Temporal's own CLI, which has no TLS and always an HTTP API. */
function cliArguments(home: Home, ports: Ports, namespace: string): string[] {
  return [
    ...['server', 'start-dev', '--ip', HOST, '--log-format', 'json'],
    ...['--port', String(ports.grpc), '--ui-port', String(ports.ui)],
    ...['--http-port', String(ports.http), '--metrics-port', String(ports.metrics)],
    ...sharedArguments(home, namespace),
  ];
}

function sharedArguments(home: Home, namespace: string): string[] {
  const attributes = Object.values(SEARCH_ATTRIBUTES).flatMap((name) => ['--search-attribute', `${name}=Keyword`]);
  return [
    ...['--db-filename', stateFile(home)],
    ...['--sqlite-pragma', 'journal_mode=WAL', '--sqlite-pragma', 'synchronous=FULL'],
    ...['--namespace', namespace, ...attributes],
    ...['--dynamic-config-value', `history.transferProcessorMaxPollRPS=${POLLS_PER_SECOND}`],
    ...['--dynamic-config-value', `history.timerProcessorMaxPollRPS=${POLLS_PER_SECOND}`],
    ...['--dynamic-config-value', `history.maximumBufferedEventsBatch=${BUFFERED_EVENTS}`],
    ...['--log-level', 'warn'],
  ];
}

interface Awaited {
  address: string;
  certificates?: string;
  startMs: number;
}

async function serving(home: Home, daemon: Daemon, { address, certificates, startMs }: Awaited): Promise<void> {
  const failed = (why: string) =>
    unreachableError({
      code: 'engine-start',
      what: 'start the engine',
      on: address,
      why: `${why}: ${tail(serverLog(home), daemon.logFrom)}`,
      hint: `see ${serverLog(home)}`,
    });
  for (const until = Date.now() + startMs; !(await isServing(address, 1_000, certificates)); await sleep(50)) {
    if (!isAlive(daemon)) throw failed('it ended');
    if (Date.now() > until) {
      await stopServer(daemon);
      throw failed(`it did not serve within ${startMs / 1000} s`);
    }
  }
}
