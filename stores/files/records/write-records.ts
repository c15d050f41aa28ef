import { join } from 'node:path';
import type { Home } from '../../../home/home.js';
import { unpackedFeed } from '../../feeds.js';
import { infraComment, publicOf } from '../../key-pair.js';
import {
  badRecord,
  checkedNames,
  keyRecord,
  parsedRecord,
  type RecordKind,
  type StoreRecord,
  sequenceRecord,
} from '../../records.js';
import { unpackedRollback } from '../../rollbacks.js';
import { blobFiles } from '../blob-files.js';
import { createFile, replaceFile } from '../durable.js';
import { feedFiles } from '../feed-files.js';
import { FileSecretStore } from '../file-secret-store.js';
import { keyFiles } from '../key-files.js';
import { logFiles } from '../log-files.js';
import { payloadFiles } from '../payload-files.js';
import { rollbackFiles } from '../rollback-files.js';
import type { Sealer } from '../sealer.js';
import { sequenceFiles } from '../sequence-files.js';

type Places = Pick<Home, 'sequences' | 'feeds' | 'keys' | 'secrets' | 'rollbacks' | 'batches' | 'payloads' | 'operations'>;
type Writer = (home: Places, names: string[], record: StoreRecord, sealer: Sealer) => Promise<void>;

/** Keeps a record in files of a home. */
export const writeRecord = (home: Places, sealer: Sealer, record: StoreRecord): Promise<void> =>
  WRITERS[record.kind](home, checkedNames(record), record, sealer);

const WRITERS: Readonly<Record<RecordKind, Writer>> = {
  async sequence({ sequences }, [workspace = '', infra = ''], record) {
    const { sequence, run } = parsedRecord(sequenceRecord, record);
    await sequenceFiles(sequences).begin({ workspace, infra }, run, sequence);
  },
  async feed({ feeds }, [workspace = '', infra = '', uuid = ''], { bytes }, sealer) {
    await feedFiles(feeds, sealer).append({ workspace, infra, uuid }, await unpackedFeed(bytes));
  },
  async key({ keys }, [workspace = '', infra = '', server = ''], record) {
    const owner = { workspace, infra };
    const { private: secret, pin } = parsedRecord(keyRecord, record);
    const path = join(keys, workspace, infra, ...(server === '' ? ['id_ed25519'] : ['hosts', server]));
    if (secret !== undefined) {
      const known = publicOf(secret, server === '' ? infraComment(owner) : server);
      if (!(await createFile(path, secret))) throw badRecord(record, 'there is one of this name');
      if (server === '') await replaceFile(`${path}.pub`, `${known}\n`);
      else await keyFiles(keys).pin(owner, server, pin ?? known);
    } else if (pin !== undefined && server !== '') await keyFiles(keys).pin(owner, server, pin);
    else throw badRecord(record, 'it has no key');
  },
  async secret({ secrets }, [workspace = '', infra = '', name = ''], { bytes }) {
    const all = new FileSecretStore(secrets, {});
    const scope = { workspace, infra: infra === '' ? undefined : infra };
    await (workspace === '' ? all : all.within(scope)).set(name, bytes.toString('utf8'));
  },
  async rollback({ rollbacks }, [workspace = '', infra = '', operation = ''], { bytes }, sealer) {
    await rollbackFiles(rollbacks, sealer).keep({ workspace, infra, operation }, await unpackedRollback(bytes));
  },
  async blob({ batches }, [address], record, sealer) {
    if ((await blobFiles(batches, sealer).put(record.bytes.toString('utf8'))) !== address)
      throw badRecord(record, 'it has another address');
  },
  async payload({ payloads }, [sha256 = ''], record) {
    if (!/^[0-9a-f]{64}$/.test(sha256)) throw badRecord(record, 'its name is no hash');
    await payloadFiles(payloads).put(sha256, record.bytes);
  },
  async log({ operations }, [operation = '', server = '', taskserv = '', generation, attempt], { bytes }) {
    const numbers = { generation: Number(generation), attempt: Number(attempt) };
    const log = await logFiles(operations).open({ operation, server, taskserv, ...numbers });
    log.write(bytes.toString('utf8'));
    await log.close();
  },
};
