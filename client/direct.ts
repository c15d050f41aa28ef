import { engineOf, type MethodStores } from '../app/engine.js';
import { ownerOf } from '../app/principal.js';
import { recordCalls } from '../app/record-calls.js';
import { connectTemporal } from '../app/temporal/connect-temporal.js';
import { isRunning } from '../app/temporal/is-running.js';
import { sealedClient } from '../app/temporal/sealed-client.js';
import { onlyWithWorker, workerWatch } from '../app/temporal/worker-there.js';
import type { EngineRecord } from '../core/engine/engine.js';
import { unreachableError } from '../core/errors.js';
import { openEncryption } from '../encryption/open-encryption.js';
import type { Home } from '../home/home.js';
import { principal } from '../home/principal.js';
import { settledEnvironment } from '../settings/settings.js';
import { recordedService } from '../settings/temporal-service.js';
import { openStores } from '../stores/open-stores.js';
import type { Client } from './client.js';
import { clientOfEngine } from './client-of-engine.js';

/** The client without a worker on this machine: answers what Temporal and a team's store can answer. */
export async function connectDirectly(engine: EngineRecord, home: Home, given: NodeJS.ProcessEnv = process.env): Promise<Client> {
  const env = await settledEnvironment(home, given);
  const { address, namespace, taskQueue } = engine;
  const service = await recordedService(engine, env);
  if (engine.kind === 'own' && !(engine.server && isRunning(engine.server.pid))) {
    const why = 'its server has ended';
    throw unreachableError({ code: 'engine-not-running', what: 'find the engine', on: address, why, hint: 'provisioning up' });
  }
  const connection = await connectTemporal({ ...service?.connection, address });
  const [stores, encryption] = await Promise.all([openStores(home, env), openEncryption(home, env)]).catch(
    async (error: unknown) => {
      await connection.close();
      throw error;
    },
  );
  const codec = encryption.codec(namespace, stores.payloads);
  const worker = workerWatch(connection, engine);
  const connected = engineOf({
    temporal: sealedClient({ connection, namespace, codec }, onlyWithWorker(worker)),
    taskQueue,
    ...(engine.deployment !== undefined && { deployment: engine.deployment }),
    stores: env.PROVISIONING_STORE ? stores : storesElsewhere(home),
    beside: { home, env: given },
    elsewhere: { worker, patient: sealedClient({ connection, namespace, codec }) },
  });
  return clientOfEngine(
    {
      engine: connected,
      principal: ownerOf(principal()),
      checksAnswers: env.PROVISIONING_CHECK_ANSWERS === '1',
      // A home's own rows are its worker's.
      ...(env.PROVISIONING_STORE && recordCalls(stores.rows)),
    },
    async () => {
      await connection.close();
      await stores.close();
    },
  );
}

/** The stores of a home without a worker: each read and write fails. */
function storesElsewhere(home: Home): MethodStores {
  const absent = async () => {
    throw unreachableError({
      code: 'no-worker',
      what: 'read or keep logs, keys and batches',
      on: home.root,
      why: 'no worker of this home is running, and only the worker can reach them',
      hint: 'provisioning up',
    });
  };
  return {
    blobs: { put: absent, has: absent, get: absent },
    logs: { read: absent },
    feeds: { read: absent, infras: absent },
    keys: { infraKey: absent, infras: absent, pin: absent, forget: absent },
    // Temporal's history is asked then.
    rollbacks: { find: async () => undefined },
  };
}
