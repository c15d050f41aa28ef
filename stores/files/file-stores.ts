import type { Home } from '../../home/home.js';
import type { LazyRows } from '../rows/open-rows.js';
import type { Stores } from '../stores.js';
import { blobFiles } from './blob-files.js';
import { claimFiles } from './claim-files.js';
import { feedFiles } from './feed-files.js';
import { FileSecretStore } from './file-secret-store.js';
import { keyFiles } from './key-files.js';
import { logFiles } from './log-files.js';
import { payloadFiles } from './payload-files.js';
import type { PrivateText } from './private-text.js';
import { rollbackFiles } from './rollback-files.js';
import type { Sealer } from './sealer.js';
import { sequenceFiles } from './sequence-files.js';

/**
 * Stores in files of a home.
 *
 * @param rows its collections of rows, which `close` closes
 */
export const fileStores = (home: Home, sealer: Sealer, text: PrivateText, rows: LazyRows, env: NodeJS.ProcessEnv): Stores => ({
  keys: keyFiles(home.keys, text),
  logs: logFiles(home.operations, sealer),
  secrets: new FileSecretStore(home.secrets, env, text),
  payloads: payloadFiles(home.payloads),
  blobs: blobFiles(home.batches, sealer),
  sequences: sequenceFiles(home.sequences),
  feeds: feedFiles(home.feeds, sealer),
  rollbacks: rollbackFiles(home.rollbacks, sealer),
  claims: claimFiles(home.claims),
  ...rows,
});
