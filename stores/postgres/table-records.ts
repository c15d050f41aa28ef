import type { Cipher } from '../../encryption/cipher.js';
import { FORGET_AFTER_MS } from '../claims.js';
import { packFeed } from '../feeds.js';
import { derivePublicKey, infraComment } from '../key-pair.js';
import { contextOfKey } from '../keys.js';
import { contextOfLog } from '../logs.js';
import {
  badRecord,
  checkRecordNames,
  jsonBytes,
  keyRecord,
  parseRecord,
  RECORD_KINDS,
  type RecordKind,
  readsBytes,
  type StoreRecord,
  type StoreRecords,
} from '../records.js';
import { chooseSecrets, contentAt, recordWriter } from '../records-into.js';
import { packRollback } from '../rollbacks.js';
import { contextOfScopedSecret, contextOfSecret } from '../secrets.js';
import type { Stores } from '../stores.js';
import { nameMovedClaim, readClaimHash } from './claim-table.js';
import type { Database } from './database.js';
import { movesTable } from './moves-table.js';
import { rowRemover } from './remove-record.js';

type Found = AsyncGenerator<Omit<StoreRecord, 'kind'>>;
interface Source {
  database: Database;
  cipher: Cipher;
  stores: Stores;
}

/** Readers by kind. Large tables are listed first and then read row by row, so that they need little memory. */
const READERS: Readonly<Record<RecordKind, (source: Source) => Found>> = {
  async *sequence({ database }) {
    const text = 'select workspace, infra, sequence, run from provisioning.sequences order by workspace, infra';
    type Row = { workspace: string; infra: string; sequence: string; run: string };
    for (const { workspace, infra, sequence, run } of await database.query<Row>('list the states', text))
      yield { name: [workspace, infra], bytes: jsonBytes({ sequence: Number(sequence), run }) };
  },
  async *feed({ database, stores }) {
    const text = 'select distinct workspace, infra from provisioning.feeds order by workspace, infra';
    type Row = { workspace: string; infra: string };
    for (const { workspace, infra } of await database.query<Row>('list the feeds', text))
      for (const feed of await stores.feeds.read({ workspace, infra }))
        yield { name: [workspace, infra, feed.uuid], bytes: await packFeed(feed) };
  },
  async *key({ database, cipher, stores }) {
    const text = 'select workspace, infra, server, sealed from provisioning.keys order by workspace, infra, server';
    type Row = { workspace: string; infra: string; server: string; sealed: Buffer | null };
    for (const { workspace, infra, server, sealed } of await database.query<Row>('list the keys', text)) {
      const secret = sealed && (await cipher.open(sealed, contextOfKey({ workspace, infra }, server))).toString('utf8');
      const pin = server === '' ? undefined : await stores.keys.pinned({ workspace, infra }, server);
      yield { name: [workspace, infra, server], bytes: jsonBytes({ private: secret ?? undefined, pin }) };
    }
  },
  async *secret({ database, cipher }) {
    type Row = { workspace: string; infra: string; name: string; sealed: Buffer };
    const text = `select '' as workspace, '' as infra, name, sealed from provisioning.secrets
      union all select workspace, infra, name, sealed from provisioning.scoped_secrets order by workspace, infra, name`;
    for (const { workspace, infra, name, sealed } of await database.query<Row>('list the secrets', text)) {
      const context = workspace === '' ? contextOfSecret(name) : contextOfScopedSecret({ workspace, infra }, name);
      yield { name: [workspace, infra, name], bytes: await cipher.open(sealed, context) };
    }
  },
  async *'secret-version'({ database, stores }) {
    type Row = { workspace: string; infra: string; name: string };
    const text = `select '' as workspace, '' as infra, name from provisioning.secrets
      union all select workspace, infra, name from provisioning.scoped_secrets order by workspace, infra, name`;
    for (const { workspace, infra, name } of await database.query<Row>('list the secrets', text)) {
      const secrets = workspace === '' ? stores.secrets : stores.secrets.within({ workspace, infra: infra || undefined });
      for (const { version, ...origin } of (await secrets.history(name)).reverse()) {
        const value = await secrets.version(name, version);
        if (value !== undefined) yield { name: [workspace, infra, name, String(version)], bytes: jsonBytes({ ...origin, value }) };
      }
    }
  },
  async *'secret-read'({ database, stores }) {
    type Row = { workspace: string; infra: string; name: string };
    const text = 'select distinct workspace, infra, name from provisioning.secret_reads order by workspace, infra, name';
    for (const { workspace, infra, name } of await database.query<Row>('list the reads of secrets', text))
      yield { name: [workspace, infra, name], bytes: readsBytes(await chooseSecrets(stores, workspace, infra).reads(name)) };
  },
  async *rollback({ database, stores }) {
    const text = 'select workspace, infra, operation from provisioning.rollbacks order by workspace, infra, operation';
    type Row = { workspace: string; infra: string; operation: string };
    for (const owner of await database.query<Row>('list the roll-back data', text)) {
      const kept = await stores.rollbacks.read(owner);
      if (kept) yield { name: [owner.workspace, owner.infra, owner.operation], bytes: await packRollback(kept) };
    }
  },
  async *rows({ stores }) {
    yield* (await stores.rows()).read();
  },
  async *blob({ database, stores }) {
    const text = 'select address from provisioning.blobs order by address';
    for (const { address } of await database.query<{ address: string }>('list the pages', text))
      yield { name: [address], bytes: Buffer.from(await stores.blobs.get(address)) };
  },
  async *payload({ database, stores }) {
    const text = 'select sha256 from provisioning.payloads order by sha256';
    for (const { sha256 } of await database.query<{ sha256: string }>('list the payloads', text)) {
      const bytes = await stores.payloads.get(sha256);
      if (bytes) yield { name: [sha256], bytes: Buffer.from(bytes) };
    }
  },
  async *log({ database, cipher }) {
    type Row = { operation: string; server: string; taskserv: string; generation: number; attempt: number };
    const text = `select distinct operation, server, taskserv, generation, attempt from provisioning.logs
      order by operation, server, taskserv, generation, attempt`;
    for (const { operation, server, taskserv, generation, attempt } of await database.query<Row>('list the logs', text)) {
      const key = { operation, server, taskserv, generation, attempt };
      const name = [operation, server, taskserv, String(generation), String(attempt)];
      const parts = await database.query<{ part: number; sealed: Buffer }>(
        'read a log',
        `select part, sealed from provisioning.logs where operation = $1 and server = $2 and taskserv = $3
         and generation = $4 and attempt = $5 order by part`,
        [operation, server, taskserv, generation, attempt],
      );
      const opened = parts.map(({ part, sealed }) => cipher.open(sealed, contextOfLog(key, part)));
      yield { name, bytes: Buffer.concat(await Promise.all(opened)) };
    }
  },
};

/** Stores the record of a key unchanged. */
async function writeKey(
  { database, cipher, stores }: Source,
  [workspace = '', infra = '', server = '']: string[],
  record: StoreRecord,
): Promise<void> {
  const owner = { workspace, infra };
  const { private: secret, pin } = parseRecord(keyRecord, record);
  if (secret !== undefined) {
    const sealed = cipher.seal(Buffer.from(secret), contextOfKey(owner, server));
    const known = derivePublicKey(secret, server === '' ? infraComment(owner) : server);
    // After a lost connection, the row may or may not be there already.
    await database.query(
      'keep a key',
      `insert into provisioning.keys (workspace, infra, server, sealed, public) values ($1, $2, $3, $4, $5)
       on conflict (workspace, infra, server) do update set sealed = excluded.sealed where keys.sealed is null`,
      [workspace, infra, server, sealed, known],
    );
    const text = 'select sealed from provisioning.keys where workspace = $1 and infra = $2 and server = $3';
    const [row] = await database.query<{ sealed: Buffer }>('read a key', text, [workspace, infra, server]);
    const kept = row && (await cipher.open(row.sealed, contextOfKey(owner, server))).toString('utf8');
    if (kept !== secret) throw badRecord(record, 'there is another one of this name');
  }
  if (pin !== undefined && server !== '') await stores.keys.pin(owner, server, pin);
  else if (secret === undefined) throw badRecord(record, 'it has no key');
}

/** Returns a team's store as records, opened with this installation's key. */
export function tableRecords(
  source: Source,
  adoptId: (database: Database, cipher: Cipher, id: string) => Promise<void>,
): StoreRecords {
  return {
    name: source.database.name,
    sharedId: source.stores.shared?.id,
    async *read(kind) {
      for await (const { name, bytes } of READERS[kind](source)) yield { kind, name: checkRecordNames({ kind, name }), bytes };
    },
    write: recordWriter(source.stores, (names, record) => writeKey(source, names, record)),
    remove: rowRemover(source.database, source.stores),
    async *addresses(kind) {
      const [column, table] = kind === 'blob' ? ['address', 'blobs'] : ['sha256', 'payloads'];
      const text = `select ${column} as address from provisioning.${table} order by 1`;
      for (const { address } of await source.database.query<{ address: string }>('list the addresses', text)) yield address;
    },
    contentAt: (kind, address) => contentAt(source.stores, kind, address),
    async *claims() {
      const text = "select start, run from provisioning.claims where claimed > now() - $1 * interval '1 millisecond'";
      type Row = { start: string; run: string };
      for (const { start, run } of await source.database.query<Row>('list the claims', text, [FORGET_AFTER_MS]))
        yield { hash: readClaimHash(start), run };
    },
    async keepClaim({ hash, run }) {
      const text = 'insert into provisioning.claims (start, run) values ($1, $2) on conflict (start) do nothing';
      await source.database.query('keep which run was started', text, [nameMovedClaim(hash), run]);
    },
    moves: movesTable(source.database),
    async isEmpty() {
      for (const kind of RECORD_KINDS) for await (const _ of READERS[kind](source)) return false;
      return true;
    },
    adoptId: (id) => adoptId(source.database, source.cipher, id),
    close: () => source.database.close(),
  };
}
