import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isRunning } from '../app/temporal/is-running.js';
import type { EngineRecord, ProcessMark } from '../core/engine/engine.js';
import { ProvisioningError, unreachableError } from '../core/errors.js';
import { type Home, homeOf } from '../home/home.js';
import type { Client } from './client.js';
import { readConnection } from './http/connection.js';
import { remoteClient, socketClient } from './socket/socket-client.js';

/** How long a worker that is started again is waited for, in milliseconds. */
const RESTART_MS = 1_500;

/**
 * Connects to the platform of a home: through its worker where one runs, else
 * straight to its Temporal service.
 * The server of the active context is asked instead (client/http/connection.ts). `PROVISIONING_SOCKET` names the socket of the
 * worker of another home.
 * Throws `engine-not-running` (exit code 3) where `provisioning up` was not run.
 *
 * @example const client = await connect(); await client.operations.submit({ request });
 */
export async function connect({
  env = process.env,
  home = homeOf(env),
}: {
  home?: Home;
  env?: NodeJS.ProcessEnv;
} = {}): Promise<Client> {
  const server = readConnection({ home, env });
  if (server) return (await import('./http/http-client.js')).httpClient(server);
  // The home of this user has nothing to do with that worker: nothing of it is used instead.
  if (env.PROVISIONING_SOCKET) return remoteClient(resolve(env.PROVISIONING_SOCKET));
  try {
    return await throughWorker(home);
  } catch (error) {
    // Nobody is asked who may be another, and nobody passed by whom this user cannot ask.
    if (error instanceof ProvisioningError && error.details.code === 'folder-not-private') throw error;
    const engine = await readEngine(home);
    if (!engine) {
      throw unreachableError({
        code: 'engine-not-running',
        what: 'find the engine',
        on: home.root,
        why: 'no engine is running for this home',
        hint: 'provisioning up',
      });
    }
    const { connectDirectly } = await import('./direct.js');
    return connectDirectly(engine, home, env);
  }
}

/** A worker that its supervisor is just starting again is waited for, for a moment. */
async function throughWorker(home: Home): Promise<Client> {
  for (const until = Date.now() + RESTART_MS; ; await sleep(100)) {
    try {
      return await socketClient(home.socket);
    } catch (error) {
      if (
        (error instanceof ProvisioningError && error.details.blame === 'user') ||
        Date.now() > until ||
        !(await isSupervised(home))
      )
        throw error;
    }
  }
}

async function isSupervised(home: Home): Promise<boolean> {
  const supervisor = await readJson<ProcessMark>(join(home.engine, 'supervisor.json'));
  return supervisor !== undefined && isRunning(supervisor.pid);
}

async function readEngine(home: Home): Promise<EngineRecord | undefined> {
  return readJson<EngineRecord>(join(home.engine, 'engine.json'));
}

async function readJson<T>(path: string): Promise<T | undefined> {
  try {
    return JSON.parse(await readFile(path, 'utf8')) as T;
  } catch {
    return undefined;
  }
}
