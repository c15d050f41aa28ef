import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Home } from '../../../home/home.js';
import { checkRecordNames, type RecordKind, type StoreRecord } from '../../records.js';
import { chooseSecrets, removeVersion } from '../../records-into.js';
import type { Stores } from '../../stores.js';
import { changeKnownHosts } from '../known-hosts.js';
import { readsFolder } from './read-records.js';

type Remover = (names: string[], record: StoreRecord) => Promise<unknown>;

/** How the files of a home lose a record of each kind. */
export function fileRemover(home: Home, stores: Pick<Stores, 'secrets' | 'rollbacks' | 'rows'>) {
  const gone = (...path: string[]) => rm(join(...path), { recursive: true, force: true });
  const addressed = (root: string) => (address: string) => gone(root, address.slice(0, 2), address);
  const removers: Readonly<Record<RecordKind, Remover>> = {
    sequence: ([workspace = '', infra = '']) => gone(home.sequences, encodeURIComponent(workspace), encodeURIComponent(infra)),
    feed: (names) => gone(home.feeds, ...names.map(encodeURIComponent)),
    async key([workspace = '', infra = '', server = '']) {
      const folder = join(home.keys, workspace, infra);
      const path = server === '' ? join(folder, 'id_ed25519') : join(folder, 'hosts', server);
      // Its line first: a former key that stayed in the list would be trusted.
      if (server !== '') await changeKnownHosts(folder, server, {});
      for (const suffix of ['', '.pub']) await gone(`${path}${suffix}`);
    },
    'secret-version': ([workspace = '', infra = '', name = '', number = '']) =>
      removeVersion(chooseSecrets(stores, workspace, infra), name, number),
    secret: ([workspace = '', infra = '', name = '']) => chooseSecrets(stores, workspace, infra).delete(name),
    'secret-read': ([workspace = '', infra = '', name = '']) =>
      gone(readsFolder(home.secrets, workspace, infra), encodeURIComponent(name)),
    rollback: ([workspace = '', infra = '', operation = '']) => stores.rollbacks.drop({ workspace, infra, operation }),
    rows: async (names, { bytes }) => (await stores.rows()).remove(names, bytes),
    blob: ([address = '']) => addressed(home.batches)(address),
    payload: ([address = '']) => addressed(home.payloads)(address),
    log: ([operation = '', ...unit]) => gone(home.operations, operation, `${unit.join('.')}.log`),
  };
  return async (record: StoreRecord): Promise<void> => void (await removers[record.kind](checkRecordNames(record), record));
}
