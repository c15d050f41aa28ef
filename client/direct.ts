import { Client as Temporal } from '@temporalio/client';
import type { Home } from '../config/home.js';
import { settledEnvironment } from '../config/settings.js';
import { recordedService } from '../config/temporal-service.js';
import type { EngineRecord } from '../core/engine.js';
import { inputError } from '../core/errors.js';
import { openEncryption } from '../encryption/open-encryption.js';
import { openStores } from '../stores/stores.js';
import type { Client } from './client.js';
import { connectTemporal } from './connect-temporal.js';
import { clientStores } from './stores.js';
import { temporalClient } from './temporal-client.js';

/** The client without a worker on this machine: answers what Temporal and a team's store can answer. */
export async function connectDirectly(engine: EngineRecord, home: Home, given: NodeJS.ProcessEnv = process.env): Promise<Client> {
  const env = await settledEnvironment(home, given);
  const { address, namespace, taskQueue } = engine;
  const service = await recordedService(engine, env);
  const connection = await connectTemporal({ ...service?.connection, address });
  const [stores, encryption] = await Promise.all([openStores(home, env), openEncryption(home, env)]).catch(
    async (error: unknown) => {
      await connection.close();
      throw error;
    },
  );
  const dataConverter = { payloadCodecs: [encryption.codec(namespace, stores.payloads)] };
  const temporal = new Temporal({ connection, namespace, dataConverter });
  if (!env.PROVISIONING_STORE) {
    const absent = async () => {
      throw inputError({
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
    return temporalClient({ temporal, taskQueue, stores });
  }
  const client = temporalClient({ temporal, taskQueue, stores: clientStores(stores) });
  return {
    ...client,
    async close() {
      await client.close();
      await stores.close();
    },
  };
}
