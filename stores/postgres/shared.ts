import { inputError, ProvisioningError } from '../../core/errors.js';
import type { Cipher } from '../../encryption/cipher.js';
import { openEncryption } from '../../encryption/open-encryption.js';
import type { Home } from '../../home/home.js';
import { createMovedError, type StoreMove } from '../moves.js';
import type { StoreRecords } from '../records.js';
import { openSharedRows } from '../rows/open-rows.js';
import type { Stores } from '../stores.js';
import { blobTable } from './blob-table.js';
import { claimTable } from './claim-table.js';
import { type Database, openDatabase } from './database.js';
import { feedTable } from './feed-table.js';
import { keyTable } from './key-table.js';
import { logTable } from './log-table.js';
import { payloadTable } from './payload-table.js';
import { rollbackTable } from './rollback-table.js';
import { secretTable } from './secret-table.js';
import { sequenceTable } from './sequence-table.js';
import { tableRecords } from './table-records.js';

/** Text that is sealed once, so that an installation with another key fails before it does anything. */
const KNOWN = Buffer.from('provisioning');

/**
 * Opens a team's store in PostgreSQL, with keys, secrets and logs encrypted by this installation's key.
 *
 * @throws inputError `store-key` if the team uses another key
 * @throws unreachableError `store-moved`
 */
export async function openShared(url: string, home: Home, env: NodeJS.ProcessEnv): Promise<Stores> {
  const { database, stores, move } = await openSource(url, home, env);
  if (!move) return stores;
  await database.close();
  throw createMovedError(database.name, move);
}

/** The same, as records, also of a store that a move has marked. @param mover id of the platform that fills it */
export const openSharedRecords = async (url: string, home: Home, env: NodeJS.ProcessEnv, mover?: string): Promise<StoreRecords> =>
  tableRecords(await openSource(url, home, env, mover), adoptStoreId);

async function openSource(url: string, home: Home, env: NodeJS.ProcessEnv, mover?: string) {
  const { cipher } = await openEncryption(home, env);
  const database = await openDatabase(url, env, undefined, mover);
  try {
    const { id, move } = await checkKey(database, cipher);
    const rows = openSharedRows(database, async () => cipher);
    const stores: Stores = {
      shared: { id, name: database.name },
      keys: keyTable(database, cipher),
      logs: logTable(database, cipher),
      secrets: secretTable(database, cipher, env),
      payloads: payloadTable(database),
      blobs: blobTable(database, cipher),
      sequences: sequenceTable(database),
      feeds: feedTable(database, cipher),
      rollbacks: rollbackTable(database, cipher),
      claims: claimTable(database),
      rows: rows.rows,
      close: () => database.close(),
    };
    return { database, cipher, stores, move };
  } catch (error) {
    await database.close();
    throw error;
  }
}

/** Gives an empty store the id of the store that it replaces. */
async function adoptStoreId(database: Database, cipher: Cipher, id: string): Promise<void> {
  const mark = cipher.seal(KNOWN, `store/${id}`);
  await database.query('name the store', 'update provisioning.store set id = $1, key_check = $2', [id, mark]);
}

const WRONG_KEY = new Set(['unknown-encryption-key', 'sealed-altered']);

interface StoreRow {
  id: string;
  key_check: Buffer | null;
  move: StoreMove | null;
}

/** @returns the store's id and its mark of a move */
async function checkKey(database: Database, cipher: Cipher): Promise<Pick<StoreRow, 'id' | 'move'>> {
  const text = 'select id, key_check, move from provisioning.store';
  let [row] = await database.query<StoreRow>('read the store', text);
  if (row && !row.key_check) {
    const values = [cipher.seal(KNOWN, `store/${row.id}`)];
    await database.query('mark the store', 'update provisioning.store set key_check = $1 where key_check is null', values);
    [row] = await database.query('read the store', text);
  }
  const { id, key_check, move } = row as StoreRow;
  const mark = key_check as Buffer;
  try {
    await cipher.open(mark, `store/${id}`);
  } catch (error) {
    // Any other error, such as an outage of the key service, explains itself.
    if (!(error instanceof ProvisioningError) || !WRONG_KEY.has(error.details.code)) throw error;
    throw inputError(
      {
        code: 'store-key',
        what: 'open the store',
        on: database.name,
        why: `it is encrypted with another key than the key of this platform (${cipher.keyId})`,
        hint: 'use the same key on all machines of the team: encryption/keys.json of the home, or PROVISIONING_ENCRYPTION_KEYS; docs/operate/team.md',
      },
      { cause: error },
    );
  }
  return { id, move };
}
