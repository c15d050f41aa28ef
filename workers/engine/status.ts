import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Connection } from '@temporalio/client';
import { countPollers } from '../../app/temporal/pollers.js';
import { type EngineRecord, type EngineStatus, type Poller, transportOf } from '../../core/engine/engine.js';
import { messageOf } from '../../core/errors.js';
import type { Home } from '../../home/home.js';
import { resolveEnvironment } from '../../settings/settings.js';
import { readDeaths } from '../worker-deaths-file.js';
import { distFolder } from './binary/package-root.js';
import { useService } from './binary/versions-of-home.js';
import { findLostInfraProblems } from './lost-infras.js';
import { operationsNow } from './operations-now.js';
import { readApi } from './processes/api-process.js';
import { isAlive } from './processes/process.js';
import { readSupervisor } from './processes/supervisor-process.js';
import { readRecord } from './record.js';
import { findService } from './service/service.js';
import { isServing } from './temporal-service/serving.js';
import { warningsOf } from './temporal-service/warnings-of.js';

export interface StatusOptions {
  dist?: string;
  env?: NodeJS.ProcessEnv;
}

/** Returns the processes of this home, and their problems. Starts nothing. */
export async function status(home: Home, options: StatusOptions = {}): Promise<EngineStatus> {
  const record = await readRecord(home);
  const problems: string[] = [];
  // For example an identity that cannot be read: everything else is still reported.
  const service = await findService(home, options.env ?? process.env).catch((error): undefined => {
    problems.push(messageOf(error));
  });
  if (!record) {
    problems.push('no engine runs: start it with `provisioning up`');
    return { state: 'stopped', service, pollers: [], problems };
  }
  const build = buildIn(options.dist ?? distFolder());
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
    api: await describeApi(home, build, problems),
    supervisor: await supervisorOf(home),
    service,
    transport: transportOf(record),
    warnings: warningsOf(record),
    ...(await storedOf(home, options.env ?? process.env, problems)),
  };
  if (record.server && (!isAlive(record.server) || !(await isServing(address, 3_000, record.certificates)))) {
    problems.push(`the engine at ${address} does not answer: run \`provisioning up\``);
    return { state: 'unreachable', ...common, pollers: [], problems };
  }
  try {
    const env = await resolveEnvironment(home, options.env ?? process.env);
    const [pollers, setAside, { asking, withoutWorker, problems: unkept }, lost] = await useService(
      record,
      env,
      async (connection) => [
        await countPollers(connection, record),
        await setAsideOf(home, connection, record.namespace),
        await operationsNow(connection, record),
        await findLostInfraProblems(connection, record, env, home).catch((error) => [messageOf(error)]),
      ],
    );
    problems.push(
      ...setAside.map(
        ({ operation, activity, deaths, last }) =>
          `${operation} is set aside: ${deaths} workers ended while its "${activity}" was at work, the last at ${last}; see \`provisioning workflow status ${operation}\` and \`provisioning logs worker\``,
      ),
    );
    // An outage of the store may have been reported already.
    problems.push(...unkept, ...lost.filter((problem) => !problems.includes(problem)));
    // Versions of a fleet differ on purpose: `fleet status` shows them.
    problems.push(...workerProblems(pollers, record.deployment ? undefined : build));
    return {
      state: 'running',
      ...common,
      ...(asking.length > 0 && { asking }),
      ...(withoutWorker.length > 0 && { withoutWorker }),
      ...(setAside.length > 0 && { setAside }),
      pollers,
      problems,
    };
  } catch (error) {
    return { state: 'unreachable', ...common, pollers: [], problems: [...problems, messageOf(error)] };
  }
}

/** Returns the size of the installation's store; an outage of the store is a problem. */
async function storedOf(home: Home, env: NodeJS.ProcessEnv, problems: string[]): Promise<Pick<EngineStatus, 'stored'>> {
  try {
    const { openStores } = await import('../../stores/open-stores.js');
    const { payloads, blobs, close } = await openStores(home, await resolveEnvironment(home, env));
    try {
      return { stored: { payloads: await payloads.size(), pages: await blobs.size() } };
    } finally {
      await close();
    }
  } catch (error) {
    problems.push(messageOf(error));
    return {};
  }
}

/** Reports problems of polling workers: none polls, or one has another build than the present one, if that is known. */
export function workerProblems(pollers: readonly Poller[], build: string | undefined): string[] {
  if (pollers.length === 0) return ['no worker polls: operations wait; run `provisioning up`'];
  return pollers
    .filter((poller) => build !== undefined && poller.build !== build)
    .map((poller) => `worker "${poller.identity}" is of another version than the current build ${build}: run \`provisioning up\``);
}

async function supervisorOf(home: Home): Promise<EngineStatus['supervisor']> {
  const supervisor = await readSupervisor(home);
  return supervisor && isAlive(supervisor) ? { pid: supervisor.pid } : undefined;
}

/** Returns the operations that were set aside and have not ended. */
async function setAsideOf(home: Home, { workflowService }: Connection, namespace: string) {
  const found: NonNullable<EngineStatus['setAside']> = [];
  for (const { operation, type, deaths, last } of readDeaths(home).setAside) {
    const execution = { workflowId: operation };
    const described = await workflowService.describeWorkflowExecution({ namespace, execution }).catch(() => undefined);
    const { workflowExecutionInfo: info } = described ?? {};
    if (info && !info.closeTime) found.push({ operation, activity: type, deaths, last });
  }
  return found;
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

/** Returns the requested API server; an ended one is a problem. */
async function describeApi(home: Home, build: string | undefined, problems: string[]): Promise<EngineStatus['api']> {
  const record = await readApi(home);
  if (!record) return undefined;
  if (!isAlive(record)) {
    problems.push('the API server has ended: run `provisioning up`, and see `provisioning logs api`');
    return undefined;
  }
  const { pid, url, build: runs } = record;
  return { pid, ...(url && { url }), build: runs, uptimeSeconds: since(record.since), current: runs === build };
}

const since = (iso: string): number => Math.max(0, Math.round((Date.now() - Date.parse(iso)) / 1000));

function buildIn(dist: string): string | undefined {
  const file = join(dist, 'build-id');
  return existsSync(file) ? readFileSync(file, 'utf8').trim() : undefined;
}
