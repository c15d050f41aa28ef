import type { PayloadStore, StoredPayload } from '../../encryption/payload-store.js';
import type { Database } from './database.js';
import { measureStoredRows } from './stored-rows.js';

/** Large payloads in the team's store; they come encrypted already. */
export function payloadTable(database: Database): PayloadStore {
  return {
    async put(sha256, bytes) {
      await database.query(
        'keep a payload',
        `insert into provisioning.payloads (sha256, content) values ($1, $2)
         on conflict (sha256) do update set used = now()`,
        [sha256, Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)],
      );
    },
    async get(sha256) {
      const text = 'select content from provisioning.payloads where sha256 = $1';
      const [row] = await database.query<{ content: Buffer }>('read a payload', text, [sha256]);
      return row?.content;
    },
    size: () => measureStoredRows(database, 'payloads', 'content'),
    async *list() {
      const text = 'select sha256, octet_length(content) as bytes, used from provisioning.payloads order by sha256';
      yield* await database.query<StoredPayload>('list the payloads', text);
    },
    async remove(sha256, unlessUsedSince) {
      const text = 'delete from provisioning.payloads where sha256 = $1 and used < $2 returning sha256';
      return (await database.query('remove a payload', text, [sha256, unlessUsedSince])).length > 0;
    },
  };
}
