import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Home, homeOf } from '../config/home.js';
import type { EngineRecord } from '../core/engine.js';
import { unreachableError } from '../core/errors.js';
import type { Client } from './client.js';
import { socketClient } from './socket-client.js';

export type { Client, LogEntry, OperationEvent, OperationSummary } from './client.js';

/**
 * Connects to the platform of a home: through its worker where one runs, else
 * straight to its Temporal service.
 * Throws `engine-not-running` (exit code 3) where `provisioning up` was not run.
 *
 * @example const client = await connect(); await client.submit(request);
 */
export async function connect({
  env = process.env,
  home = homeOf(env),
}: {
  home?: Home;
  env?: NodeJS.ProcessEnv;
} = {}): Promise<Client> {
  try {
    return await socketClient(home.socket);
  } catch {
    const engine = await readEngine(home);
    if (!engine) {
      throw unreachableError({
        code: 'engine-not-running',
        what: 'find the engine',
        on: home.root,
        why: 'no engine runs for this home',
        hint: 'provisioning up',
      });
    }
    const { connectDirectly } = await import('./direct.js');
    return connectDirectly(engine, home, env);
  }
}

async function readEngine(home: Home): Promise<EngineRecord | undefined> {
  try {
    return JSON.parse(await readFile(join(home.engine, 'engine.json'), 'utf8')) as EngineRecord;
  } catch {
    return undefined;
  }
}
