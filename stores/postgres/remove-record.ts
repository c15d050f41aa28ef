import { checkRecordNames, type RecordKind, type StoreRecord } from '../records.js';
import { chooseSecrets, removeVersion } from '../records-into.js';
import type { Stores } from '../stores.js';
import type { Database } from './database.js';

type Remover = (names: string[], record: StoreRecord) => Promise<unknown>;

/** How a team's store loses a record of each kind. */
export function rowRemover(database: Database, stores: Pick<Stores, 'secrets' | 'rows'>) {
  const from =
    (table: string, ...columns: string[]) =>
    (names: string[]) => {
      const where = columns.map((column, index) => `${column}::text = $${index + 1}`).join(' and ');
      return database.query('remove a record', `delete from provisioning.${table} where ${where}`, names);
    };
  const removers: Readonly<Record<RecordKind, Remover>> = {
    sequence: from('sequences', 'workspace', 'infra'),
    feed: from('feeds', 'workspace', 'infra', 'uuid'),
    key: from('keys', 'workspace', 'infra', 'server'),
    'secret-version': ([workspace = '', infra = '', name = '', number = '']) =>
      removeVersion(chooseSecrets(stores, workspace, infra), name, number),
    secret: ([workspace = '', infra = '', name = '']) => chooseSecrets(stores, workspace, infra).delete(name),
    'secret-read': from('secret_reads', 'workspace', 'infra', 'name'),
    rollback: from('rollbacks', 'workspace', 'infra', 'operation'),
    rows: async (names, { bytes }) => (await stores.rows()).remove(names, bytes),
    blob: from('blobs', 'address'),
    payload: from('payloads', 'sha256'),
    log: from('logs', 'operation', 'server', 'taskserv', 'generation', 'attempt'),
  };
  return async (record: StoreRecord): Promise<void> => void (await removers[record.kind](checkRecordNames(record), record));
}
