import type { Home } from '../home/home.js';
import { blobFiles } from './files/blob-files.js';
import { claimFiles } from './files/claim-files.js';
import { feedFiles } from './files/feed-files.js';
import { FileSecretStore } from './files/file-secret-store.js';
import { keyFiles } from './files/key-files.js';
import { logFiles } from './files/log-files.js';
import { payloadFiles } from './files/payload-files.js';
import { rollbackFiles } from './files/rollback-files.js';
import { sealerOf } from './files/sealer.js';
import { sequenceFiles } from './files/sequence-files.js';
import type { Stores } from './stores.js';

/**
 * The stores of a set-up: PostgreSQL's where `PROVISIONING_STORE` names one,
 * which a team's workers share, else files of the home.
 *
 * @throws inputError and unreachableError of codes that begin with `store-`
 */
export async function openStores(home: Home, env: NodeJS.ProcessEnv = process.env): Promise<Stores> {
  const url = env.PROVISIONING_STORE;
  if (url) {
    const { openShared } = await import('./postgres/shared.js');
    return openShared(url, home, env);
  }
  const sealer = sealerOf(home, env);
  return {
    keys: keyFiles(home.keys),
    logs: logFiles(home.operations),
    secrets: new FileSecretStore(home.secrets, env),
    payloads: payloadFiles(home.payloads),
    blobs: blobFiles(home.batches, sealer),
    sequences: sequenceFiles(home.sequences),
    feeds: feedFiles(home.feeds, sealer),
    rollbacks: rollbackFiles(home.rollbacks, sealer),
    claims: claimFiles(home.claims),
    close: async () => {},
  };
}
