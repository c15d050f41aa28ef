import { type Account, backupsOf, bears, newUuid, type Storage, serverWithStorage } from './account.js';
import { detailedStorage, listedStorage, Refusal } from './answers.js';
import { assertZone } from './catalog.js';
import { existing, labelsOf, type Routes, textOf, type World } from './world.js';

/** Creates a disk of the account. It is written to for a moment before it can be used. */
export function newStorage(world: World, wanted: Pick<Storage, 'title' | 'size' | 'zone' | 'labels'> & Partial<Storage>): Storage {
  if (wanted.size < 1 || wanted.size > 4096) throw new Refusal(400, 'SIZE_INVALID', 'The storage size is invalid.');
  const storage: Storage = {
    uuid: newUuid('storage'),
    tier: 'maxiops',
    state: 'maintenance',
    readyAt: Date.now() + world.delays.storage,
    created: new Date().toISOString().replace(/\.\d+Z$/, 'Z'),
    ...wanted,
  };
  world.account.storages.set(storage.uuid, storage);
  return storage;
}

const storageOf = (world: World, uuid: string | undefined) => existing(world.account.storages, uuid, 'storage');

/** Applies the backup policy when a storage is deleted. Backups stay unless the request says otherwise. */
export function deleteBackups(account: Account, uuid: string, query: URLSearchParams): void {
  const policy = query.get('backups') ?? 'keep';
  if (!['keep', 'keep_latest', 'delete'].includes(policy))
    throw new Refusal(400, 'BACKUP_DELETION_POLICY_INVALID', `The backup deletion policy ${policy} is invalid.`);
  if (policy === 'keep') return;
  for (const backup of backupsOf(account, uuid).slice(policy === 'keep_latest' ? 1 : 0)) account.storages.delete(backup.uuid);
}

export const storageRoutes: Routes = {
  'GET /1.3/storage': ({ account }, { query }) => ({
    status: 200,
    body: { storages: { storage: [...account.storages.values()].filter(({ labels }) => bears(labels, query)).map(listedStorage) } },
  }),

  'GET /1.3/storage/private': ({ account }) => ({
    status: 200,
    body: { storages: { storage: [...account.storages.values()].map(listedStorage) } },
  }),

  'GET /1.3/storage/backup': ({ account }) => ({
    status: 200,
    body: { storages: { storage: [...account.storages.values()].filter(({ origin }) => origin).map(listedStorage) } },
  }),

  'POST /1.3/storage/{}/backup': (world, { ids, body }) => {
    const source = storageOf(world, ids[0]);
    const made = newStorage(world, {
      title: textOf(body.title),
      size: source.size,
      zone: source.zone,
      labels: [],
      origin: source.uuid,
    });
    return { status: 201, body: { storage: detailedStorage(world.account, made) } };
  },

  'POST /1.3/storage': (world, { body }) => {
    if (world.quota)
      throw new Refusal(403, 'MAXIOPS_STORAGE_LIMIT_REACHED', 'The maxiops storage limit of the account has been reached.');
    const zone = textOf(body.zone);
    assertZone(zone);
    const title = textOf(body.title);
    if (title === '') throw new Refusal(400, 'STORAGE_TITLE_MISSING', 'The required attribute title is missing from the request.');
    const labels = labelsOf((body.labels ?? []) as Record<string, unknown>[]);
    const storage = newStorage(world, { title, zone, size: Number(body.size), labels, backupRule: body.backup_rule });
    // The real API answers when it is done: 10 s in the recordings.
    storage.state = 'online';
    storage.readyAt = undefined;
    return { status: 201, body: { storage: detailedStorage(world.account, storage) } };
  },

  'GET /1.3/storage/{}': (world, { ids }) => ({
    status: 200,
    body: { storage: detailedStorage(world.account, storageOf(world, ids[0])) },
  }),

  'PUT /1.3/storage/{}': (world, { ids, body }) => {
    const storage = storageOf(world, ids[0]);
    if (body.size !== undefined) {
      const server = serverWithStorage(world.account, storage.uuid);
      if (server && server.state !== 'stopped')
        throw new Refusal(409, 'SERVER_STATE_ILLEGAL', `The server ${server.uuid} must be stopped.`);
      if (Number(body.size) < storage.size) throw new Refusal(400, 'SIZE_INVALID', 'The storage size can only be increased.');
      storage.size = Number(body.size);
    }
    if (body.title !== undefined) storage.title = textOf(body.title);
    if (body.labels !== undefined) storage.labels = labelsOf(body.labels as Record<string, unknown>[]);
    return { status: 202, body: { storage: detailedStorage(world.account, storage) } };
  },

  'DELETE /1.3/storage/{}': (world, { ids, query }) => {
    const storage = storageOf(world, ids[0]);
    const server = serverWithStorage(world.account, storage.uuid);
    if (server) throw new Refusal(409, 'STORAGE_ATTACHED', `The storage ${storage.uuid} is attached to the server ${server.uuid}.`);
    if (storage.state !== 'online')
      throw new Refusal(409, 'STORAGE_STATE_ILLEGAL', `The storage ${storage.uuid} is in state ${storage.state}.`);
    deleteBackups(world.account, storage.uuid, query);
    world.account.storages.delete(storage.uuid);
    return { status: 204 };
  },
};
