import type { Connection } from '@temporalio/client';
import { createEngine, type Engine, type MethodStores } from '../app/engine.js';
import { connectTemporal } from '../app/temporal/connect-temporal.js';
import { createSealedClient } from '../app/temporal/sealed-client.js';
import { onlyWithWorker, workerWatch } from '../app/temporal/worker-there.js';
import type { EngineRecord } from '../core/engine/engine.js';
import { openEncryption } from '../encryption/open-encryption.js';
import type { Home } from '../home/home.js';
import { resolveEnvironment } from '../settings/settings.js';
import { describeRecordedService } from '../settings/temporal-service.js';
import { openStores } from '../stores/open-stores.js';
import type { Stores } from '../stores/stores.js';
import { backupProgram } from './engine-program/backup-program.js';

/** A connection to the engine of a home, for a process without a worker beside it. */
export interface ConnectedEngine {
  engine: Engine;
  connection: Connection;
}

/** The engine of a home and its stores. */
export interface OpenEngine extends ConnectedEngine {
  /** The environment with the settings of the home. */
  env: NodeJS.ProcessEnv;
  stores: Stores;
  /** Connects to an engine that is recorded otherwise by now, with the same stores. The caller closes both connections. */
  connectTo(record: EngineRecord): Promise<ConnectedEngine>;
  /** Closes the connection and the stores. */
  close(): Promise<void>;
}

/**
 * Opens the engine and the stores of a home for a process that runs no workflows. Several such processes, and the
 * worker, can use one home or one store of a team at a time.
 *
 * @param methodStores chooses the stores that methods get; default: all of them
 * @throws as `connectTemporal` and `openStores`
 */
export async function openEngine(
  record: EngineRecord,
  home: Home,
  given: NodeJS.ProcessEnv,
  methodStores: (stores: Stores, env: NodeJS.ProcessEnv) => MethodStores = (stores) => stores,
): Promise<OpenEngine> {
  const env = await resolveEnvironment(home, given);
  const connection = await connect(record, env);
  const [stores, encryption] = await Promise.all([openStores(home, env), openEncryption(home, env)]).catch(
    async (error: unknown) => {
      await connection.close();
      throw error;
    },
  );
  const seen = methodStores(stores, env);
  const engineOver = (now: EngineRecord, over: Connection): ConnectedEngine => {
    const { namespace, taskQueue, deployment, worker: runs } = now;
    const worker = workerWatch(over, now);
    const clientOptions = { connection: over, namespace, codec: encryption.codec(namespace, stores.payloads) };
    const engine = createEngine({
      temporal: createSealedClient(clientOptions, onlyWithWorker(worker)),
      taskQueue,
      ...(deployment !== undefined && { deployment }),
      ...(runs?.build !== undefined && { build: runs.build }),
      stores: seen,
      beside: { home, env: given },
      backups: backupProgram({ ...given, PROVISIONING_HOME: home.root }),
      elsewhere: { worker, patient: createSealedClient(clientOptions) },
    });
    return { engine, connection: over };
  };
  return {
    ...engineOver(record, connection),
    env,
    stores,
    connectTo: async (now) => engineOver(now, await connect(now, env)),
    async close() {
      await connection.close();
      await stores.close();
    },
  };
}

async function connect(record: EngineRecord, env: NodeJS.ProcessEnv): Promise<Connection> {
  const service = await describeRecordedService(record, env);
  return connectTemporal({ ...service?.connection, address: record.address });
}
