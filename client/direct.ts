import { Connection, Client as Temporal } from '@temporalio/client';
import { loadClientConnectConfig } from '@temporalio/envconfig';
import type { Home } from '../config/home.js';
import type { EngineRecord } from '../core/engine.js';
import { inputError, messageOf, unreachableError } from '../core/errors.js';
import { openEncryption } from '../encryption/open-encryption.js';
import type { Client } from './client.js';
import { temporalClient } from './temporal-client.js';

/** The client without a worker on this machine: answers what Temporal itself can answer. */
export async function connectDirectly({ kind, address, namespace, taskQueue }: EngineRecord, home: Home): Promise<Client> {
  const options = kind === 'configured' ? loadClientConnectConfig().connectionOptions : {};
  const connection = await Connection.connect({ ...options, address, connectTimeout: 5_000 }).catch((error) => {
    throw unreachableError(
      { code: 'engine-not-answering', what: 'connect to Temporal', on: address, why: messageOf(error), hint: 'provisioning up' },
      { cause: error },
    );
  });
  const encryption = await openEncryption(home, process.env).catch(async (error: unknown) => {
    await connection.close();
    throw error;
  });
  const dataConverter = { payloadCodecs: [encryption.codec(namespace)] };
  const temporal = new Temporal({ connection, namespace, dataConverter });
  const absent = async () => {
    throw inputError({
      code: 'no-worker',
      what: 'read logs or keys',
      on: home.root,
      why: 'no worker of this home runs, and they are kept where it does',
      hint: 'provisioning up',
    });
  };
  const stores = { readLogs: absent, publicKey: absent, forgetHostKey: absent, putBlob: absent, getBlob: absent };
  return temporalClient({ temporal, taskQueue, stores });
}
