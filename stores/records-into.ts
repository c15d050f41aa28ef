import { createHash } from 'node:crypto';
import { unpackFeed } from './feeds.js';
import {
  type AddressedKind,
  badRecord,
  checkRecordNames,
  parseRecord,
  type RecordKind,
  readsRecord,
  type StoreRecord,
  sequenceRecord,
  versionRecord,
} from './records.js';
import { unpackRollback } from './rollbacks.js';
import type { ScopedSecrets } from './secrets.js';
import type { Stores } from './stores.js';

type Writer = (names: string[], record: StoreRecord) => Promise<unknown>;
type Kept = Omit<Stores, 'claims' | 'shared' | 'close'>;

/**
 * Creates the writer of records from another store. Records are stored as if their content had just been created.
 *
 * @param key stores a key unchanged, because the key stores would generate one
 * @returns a function that throws the input error `bad-record` for an invalid record
 */
export function recordWriter(stores: Kept, key: Writer): (record: StoreRecord) => Promise<void> {
  const writers: Readonly<Record<RecordKind, Writer>> = {
    key,
    sequence([workspace = '', infra = ''], record) {
      const { sequence, run } = parseRecord(sequenceRecord, record);
      return stores.sequences.begin({ workspace, infra }, run, sequence);
    },
    feed: async ([workspace = '', infra = '', uuid = ''], { bytes }) =>
      stores.feeds.append({ workspace, infra, uuid }, await unpackFeed(bytes)),
    secret([workspace = '', infra = '', name = ''], { bytes }) {
      return chooseSecrets(stores, workspace, infra).set(name, bytes.toString('utf8'));
    },
    'secret-version': async ([workspace = '', infra = '', name = '', number = ''], record) => {
      const { value, ...origin } = parseRecord(versionRecord, record);
      if (!/^[1-9]\d{0,8}$/.test(number)) throw badRecord(record, 'its name is not valid');
      await chooseSecrets(stores, workspace, infra).adopt(name, value, { ...origin, version: Number(number) });
    },
    async 'secret-read'([workspace = '', infra = '', name = ''], record) {
      const secrets = chooseSecrets(stores, workspace, infra);
      const kept = new Set((await secrets.reads(name)).map((read) => JSON.stringify(read)));
      for (const read of parseRecord(readsRecord, record)) if (!kept.has(JSON.stringify(read))) await secrets.noteRead(name, read);
    },
    rollback: async ([workspace = '', infra = '', operation = ''], { bytes }) =>
      stores.rollbacks.keep({ workspace, infra, operation }, await unpackRollback(bytes)),
    rows: async (names, { bytes }) => (await stores.rows()).write(names, bytes),
    async blob([address], record) {
      if ((await stores.blobs.put(record.bytes.toString('utf8'))) !== address) throw badRecord(record, 'it has another address');
    },
    async payload([sha256 = ''], record) {
      if (createHash('sha256').update(record.bytes).digest('hex') !== sha256) throw badRecord(record, 'it has another hash');
      await stores.payloads.put(sha256, record.bytes);
    },
    async log([operation = '', server = '', taskserv = '', generation, attempt], { bytes }) {
      const numbers = { generation: Number(generation), attempt: Number(attempt) };
      const log = await stores.logs.open({ operation, server, taskserv, ...numbers });
      log.write(bytes.toString('utf8'));
      await log.close();
    },
  };
  return async (record) => void (await writers[record.kind](checkRecordNames(record), record));
}

/** The secrets of a scope, as the names of a record have it. */
export const chooseSecrets = ({ secrets }: Pick<Stores, 'secrets'>, workspace: string, infra: string): ScopedSecrets =>
  workspace === '' ? secrets : secrets.within({ workspace, infra: infra === '' ? undefined : infra });

/** The content of an address; undefined if the store does not have it. */
export async function contentAt(
  { blobs, payloads }: Pick<Stores, 'blobs' | 'payloads'>,
  kind: AddressedKind,
  address: string,
): Promise<Buffer | undefined> {
  if (kind === 'blob') return (await blobs.has(address)) ? Buffer.from(await blobs.get(address)) : undefined;
  const bytes = await payloads.get(address);
  return bytes && Buffer.from(bytes);
}

/** Deletes one version of a secret: the others keep their numbers and origins. @throws the errors of the store */
export async function removeVersion(secrets: ScopedSecrets, name: string, number: string): Promise<void> {
  const history = (await secrets.history(name)).reverse();
  if (!history.some(({ version }) => String(version) === number)) return;
  const others = history.filter(({ version }) => String(version) !== number);
  const values = await Promise.all(others.map(async (origin) => ({ origin, value: await secrets.version(name, origin.version) })));
  await secrets.delete(name);
  for (const { origin, value } of values) if (value !== undefined) await secrets.adopt(name, value, origin);
}
