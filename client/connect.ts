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
 * Connects to the platform of a home: through its worker if one runs, otherwise directly to its Temporal service. If
 * the active context names a server, it connects to that server (client/http/connection.ts). `PROVISIONING_SOCKET`
 * names the socket of another home's worker. Throws `engine-not-running` (exit code 3) if `provisioning up` was not
 * run.
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
    // A socket that may belong to another user is never used. A socket that this user must not open is never bypassed.
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
