import type { Client as Temporal } from '@temporalio/client';
import { connectTemporal } from '../app/temporal/connect-temporal.js';
import { sealedClient } from '../app/temporal/sealed-client.js';
import { clientStores } from '../app/temporal/stores.js';
import { type Stores, temporalClient } from '../app/temporal/temporal-client.js';
import { begunOrWithdrawn, onlyWithWorker, QUEUE_HINT, type WorkerWatch, workerWatch } from '../app/temporal/worker-there.js';
import type { EngineRecord } from '../core/engine/engine.js';
import { unreachableError } from '../core/errors.js';
import { openEncryption } from '../encryption/open-encryption.js';
import type { Home } from '../home/home.js';
import { principal } from '../home/principal.js';
import { settledEnvironment } from '../settings/settings.js';
import { recordedService } from '../settings/temporal-service.js';
import { openStores } from '../stores/open-stores.js';
import type { Client } from './client.js';
import { isRunning } from './running.js';
import { signedClient } from './signed-client.js';

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
  const codec = encryption.codec(namespace, 'throw', stores.payloads);
  const worker = workerWatch(connection, engine);
  const temporal = sealedClient({ connection, namespace, codec }, onlyWithWorker(worker));
  /** For what may wait for a worker. */
  const patient = sealedClient({ connection, namespace, codec });
  const patientSubmit = submitting(patient, taskQueue, worker);
  if (!env.PROVISIONING_STORE) {
    const absent = async () => {
      throw unreachableError({
        code: 'no-worker',
        what: 'read or keep logs, keys and batches',
        on: home.root,
        why: 'no worker of this home runs, and they are kept where it does',
        hint: 'provisioning up',
      });
    };
    const stores = {
      readLogs: absent,
      publicKey: absent,
      pinHostKey: absent,
      forgetHostKey: absent,
      putBlob: absent,
      getBlob: absent,
    };
    return signedClient({ ...temporalClient({ temporal, taskQueue, stores }), submit: patientSubmit }, principal());
  }
  const client = temporalClient({ temporal, taskQueue, stores: clientStores(stores) });
  const close = async () => {
    await client.close();
    await stores.close();
  };
  return signedClient({ ...client, submit: patientSubmit, close }, principal());
}

/** Submits an operation where a worker is there to take it up, or where it is to wait for one. */
function submitting(temporal: Temporal, taskQueue: string, worker: WorkerWatch): Client['submit'] {
  const { submit } = temporalClient({ temporal, taskQueue, stores: {} as Stores });
  return async (request, { queue = false } = {}) => {
    const there = await worker.isThere();
    if (!there && !queue) await worker.require('submit the operation', request.id, request.check ? undefined : QUEUE_HINT);
    const submitted = await submit(request);
    if (!there) return { ...submitted, queued: true };
    if (!queue) await begunOrWithdrawn(temporal, request.id);
    return submitted;
  };
}
