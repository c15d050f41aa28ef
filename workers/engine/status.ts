import { existsSync, readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import type { Home } from '../../config/home.js';
import { settledEnvironment } from '../../config/settings.js';
import type { EngineRecord, EngineStatus, Poller } from '../../core/engine.js';
import { messageOf } from '../../core/errors.js';
import { parseWorkerIdentity } from '../../core/names.js';
import { distFolder } from './package-root.js';
import { isAlive, markOf } from './process.js';
import { readRecord } from './record.js';
import { isServing } from './serving.js';
import { withService } from './versions-of-home.js';

export interface StatusOptions {
  dist?: string;
  env?: NodeJS.ProcessEnv;
}

/** A poll is held open for a minute at most; the service goes on listing who polled for five. */
const LATELY_MS = 70_000;
const WORKFLOW_TASK_QUEUE = 1;

/** What runs for this home, and what is wrong with it. Starts nothing. */
export async function status(home: Home, options: StatusOptions = {}): Promise<EngineStatus> {
  const record = await readRecord(home);
  if (!record) return { state: 'stopped', pollers: [], problems: ['no engine runs: start it with `provisioning up`'] };
  const build = buildIn(options.dist ?? distFolder());
  const problems: string[] = [];
  const { kind, address, ui, namespace, taskQueue, profile, store } = record;
  const common = {
    kind,
    address,
    ui,
    namespace,
    taskQueue,
    profile,
    store,
    server: serverOf(record),
    worker: workerOf(record, build),
  };
  if (record.server && (!isAlive(record.server) || !(await isServing(address, 3_000)))) {
    problems.push(`the engine at ${address} does not answer: run \`provisioning up\``);
    return { state: 'unreachable', ...common, pollers: [], problems };
  }
  try {
    const pollers = await pollersOf(record, await settledEnvironment(home, options.env ?? process.env));
    // Versions of a fleet differ on purpose: `fleet status` tells them apart.
    problems.push(...workerProblems(pollers, record.deployment ? undefined : build));
    return { state: 'running', ...common, pollers, problems };
  } catch (error) {
    return { state: 'unreachable', ...common, pollers: [], problems: [messageOf(error)] };
  }
}

/** What is wrong with those who poll: nobody does, or one of other code than is built now, where that is known. */
export function workerProblems(pollers: readonly Poller[], build: string | undefined): string[] {
  if (pollers.length === 0) return ['no worker polls: operations wait; run `provisioning up`'];
  return pollers
    .filter((poller) => build !== undefined && poller.build !== build)
    .map((poller) => `worker "${poller.identity}" is of another version than the current build ${build}: run \`provisioning up\``);
}

async function pollersOf(record: EngineRecord, env: NodeJS.ProcessEnv): Promise<Poller[]> {
  return withService(record, env, async ({ workflowService }) => {
    const { pollers } = await workflowService.describeTaskQueue({
      namespace: record.namespace,
      taskQueue: { name: record.taskQueue },
      taskQueueType: WORKFLOW_TASK_QUEUE,
    });
    const seen = (pollers ?? []).map((poller) => ({
      identity: poller.identity ?? '',
      build: parseWorkerIdentity(poller.identity ?? '')?.build,
      lastSeen: new Date(Number(poller.lastAccessTime?.seconds ?? 0) * 1000).toISOString(),
    }));
    return seen.filter((poller) => Date.now() - Date.parse(poller.lastSeen) < LATELY_MS && mayLive(poller.identity));
  });
}

/** One on this very machine can be looked at; one elsewhere is believed. */
function mayLive(identity: string): boolean {
  const worker = parseWorkerIdentity(identity);
  return worker === undefined || worker.hostname !== hostname() || markOf(worker.pid) !== undefined;
}

function serverOf({ server }: EngineRecord): EngineStatus['server'] {
  return server && isAlive(server)
    ? { pid: server.pid, version: server.serverVersion, uptimeSeconds: since(server.since) }
    : undefined;
}

function workerOf({ worker }: EngineRecord, build: string | undefined): EngineStatus['worker'] {
  if (!worker || !isAlive(worker)) return undefined;
  return { pid: worker.pid, build: worker.build, uptimeSeconds: since(worker.since), current: worker.build === build };
}

const since = (iso: string): number => Math.max(0, Math.round((Date.now() - Date.parse(iso)) / 1000));

function buildIn(dist: string): string | undefined {
  const file = join(dist, 'build-id');
  return existsSync(file) ? readFileSync(file, 'utf8').trim() : undefined;
}
