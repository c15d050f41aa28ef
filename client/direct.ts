import { chooseHeadsFolder } from '../app/audit/heads-folder.js';
import { createEngine } from '../app/engine.js';
import { createOwner } from '../app/principal.js';
import { recordCalls } from '../app/record-calls.js';
import { connectTemporal } from '../app/temporal/connect-temporal.js';
import { isRunning } from '../app/temporal/is-running.js';
import { createSealedClient } from '../app/temporal/sealed-client.js';
import { onlyWithWorker, workerWatch } from '../app/temporal/worker-there.js';
import type { EngineRecord } from '../core/engine/engine.js';
import { unreachableError } from '../core/errors.js';
import { openEncryption } from '../encryption/open-encryption.js';
import type { Home } from '../home/home.js';
import { principal } from '../home/principal.js';
import { resolveEnvironment } from '../settings/settings.js';
import { describeRecordedService } from '../settings/temporal-service.js';
import { openStores } from '../stores/open-stores.js';
import type { Client } from './client.js';
import { clientOfEngine } from './client-of-engine.js';
import { backupProgram } from './engine-program/backup-program.js';
import { storesElsewhere } from './stores-elsewhere.js';

/** The client without a worker on this machine: answers what Temporal and a team's store can answer. */
export async function connectDirectly(engine: EngineRecord, home: Home, given: NodeJS.ProcessEnv = process.env): Promise<Client> {
  const env = await resolveEnvironment(home, given);
  const { address, namespace, taskQueue } = engine;
  const service = await describeRecordedService(engine, env);
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
  const connected = createEngine({
    temporal: createSealedClient({ connection, namespace, codec }, onlyWithWorker(worker)),
    taskQueue,
    ...(engine.deployment !== undefined && { deployment: engine.deployment }),
    // Both are exceptions of `WITHOUT_WORKER`.
    stores: env.PROVISIONING_STORE ? stores : { ...storesElsewhere(home), secrets: stores.secrets },
    ...(engine.worker?.build !== undefined && { build: engine.worker.build }),
    beside: { home, env: given },
    backups: backupProgram({ ...given, PROVISIONING_HOME: home.root }),
    elsewhere: { worker, patient: createSealedClient({ connection, namespace, codec }) },
  });
  // A home's own rows are its worker's.
  const records = env.PROVISIONING_STORE ? recordCalls(stores.rows, { heads: chooseHeadsFolder(home, env) }) : undefined;
  return clientOfEngine(
    {
      engine: connected,
      principal: createOwner(principal()),
      door: { kind: 'direct' },
      checksAnswers: env.PROVISIONING_CHECK_ANSWERS === '1',
      ...records,
    },
    async () => {
      await records?.close();
      await connection.close();
      await stores.close();
    },
  );
}
