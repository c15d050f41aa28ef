import { createHash } from 'node:crypto';
import type { Cipher } from '../../encryption/cipher.js';
import { type BlobStore, blobMissing, contextOfBlob } from '../blobs.js';
import type { Database } from './database.js';
import { measureStoredRows } from './stored-rows.js';

/** Pages of plans in the team's store, sealed. */
export function blobTable(database: Database, cipher: Cipher): BlobStore {
  return {
    async put(text) {
      const address = createHash('sha256').update(text).digest('hex');
      await database.query(
        'keep a page',
        `insert into provisioning.blobs (address, sealed) values ($1, $2)
         on conflict (address) do update set written = now()`,
        [address, cipher.seal(Buffer.from(text), contextOfBlob(address))],
      );
      return address;
    },
    async has(address) {
      const text = 'select 1 as there from provisioning.blobs where address = $1';
      return (await database.query<{ there: number }>('look for a page', text, [address])).length > 0;
    },
    async get(address) {
      const text = 'select sealed from provisioning.blobs where address = $1';
      const [row] = await database.query<{ sealed: Buffer }>('read a page', text, [address]);
      if (!row) throw blobMissing(address);
      return (await cipher.open(row.sealed, contextOfBlob(address))).toString('utf8');
    },
    size: () => measureStoredRows(database, 'blobs', 'sealed'),
  };
}
