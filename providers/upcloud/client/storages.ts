import * as z from 'zod';
import { type LabelFilter, labelQuery } from './filters.js';
import { type CallOptions, type Http, segment } from './http.js';
import { type WaitOptions, waitUntil, waitUntilGone } from './wait.js';
import { createListSchema, envelope, numeric, plainLabels, plainLabelsToWrite, yesNo } from './wire.js';

const storage = z.looseObject({
  uuid: z.string(),
  title: z.string(),
  /** `public` or `private`. */
  access: z.string(),
  /** `normal`, `backup`, `cdrom` or `template`. */
  type: z.string(),
  /** `online`, `maintenance`, `cloning`, `backuping`, `syncing`, `error`. */
  state: z.string(),
  /** GiB. */
  size: z.number(),
  tier: z.string().optional(),
  zone: z.string().optional(),
  /** Absent on public templates. */
  created: z.string().optional(),
  encrypted: yesNo.optional(),
  labels: plainLabels.optional(),
  /** Price of the license, in credits per hour. */
  license: z.number().optional(),
  /** UUID of a backup's source. */
  origin: z.string().optional(),
  /** Percent of the current task in `maintenance`. */
  progress: numeric.optional(),
  /** `native` or `cloud-init`. */
  template_type: z.string().optional(),
  backup_rule: z
    .looseObject({ interval: z.string().optional(), time: z.string().optional(), retention: numeric.optional() })
    .optional(),
  backups: createListSchema('backup', z.string()).optional(),
  /** UUIDs of the servers that it is attached to. */
  servers: createListSchema('server', z.string()).optional(),
});
export type Storage = z.output<typeof storage>;

const backupRule = z.strictObject({ interval: z.string(), time: z.string(), retention: numeric });

const storageCreate = z.strictObject({
  title: z.string(),
  zone: z.string(),
  /** GiB. */
  size: numeric,
  tier: z.string().optional(),
  encrypted: yesNo.optional(),
  labels: plainLabelsToWrite.optional(),
  backup_rule: backupRule.optional(),
});
export type StorageCreate = z.output<typeof storageCreate>;

const storageChange = storageCreate.pick({ title: true, size: true, labels: true, backup_rule: true }).partial();
export type StorageModify = z.output<typeof storageChange>;

const storageClone = storageCreate
  .pick({ title: true, zone: true, tier: true, encrypted: true, labels: true })
  .partial({ tier: true });
export type StorageClone = z.output<typeof storageClone>;

const storageImport = z.looseObject({
  uuid: z.string(),
  /** `prepared`, `pending`, `importing`, `completed`, `failed`, `cancelled`. */
  state: z.string(),
  source: z.string(),
  source_location: z.string().optional(),
  error_code: z.string().optional(),
  error_message: z.string().optional(),
  read_bytes: z.number().optional(),
  written_bytes: z.number().optional(),
});

export type StorageKind = 'private' | 'public' | 'normal' | 'backup' | 'cdrom' | 'template' | 'favorite';

const one = envelope('storage', storage);
const imported = envelope('storage_import', storageImport);
const at = (uuid: string) => `/storage/${segment(uuid)}`;

/** Creates the calls for storages. Long changes return another state than `online`: use `waitOnline`. */
export function createStorageCalls(http: Http) {
  const answered = async (method: 'GET' | 'POST' | 'PUT', path: string, body: unknown, options?: CallOptions): Promise<Storage> =>
    (await http.send(method, path, { body, answer: one, options })).storage;

  const read = (uuid: string, options?: CallOptions) => answered('GET', at(uuid), undefined, options);

  return {
    read,

    /** Lists storages, optionally of a kind; public templates have the kind `template`. */
    async list({ kind, labels }: { kind?: StorageKind; labels?: readonly LabelFilter[] } = {}, options?: CallOptions) {
      const path = kind ? `/storage/${kind}` : '/storage';
      const answer = envelope('storages', createListSchema('storage', storage));
      return (await http.send('GET', path, { query: labelQuery(labels), answer, options })).storages;
    },

    create: (wanted: StorageCreate, options?: CallOptions) =>
      answered('POST', '/storage', { storage: z.encode(storageCreate, wanted) }, options),

    /**
     * Changes size, title and labels. `resizeFilesystem` or the operating system extends the partition to a larger
     * size.
     */
    modify: (uuid: string, changes: StorageModify, options?: CallOptions) =>
      answered('PUT', at(uuid), { storage: z.encode(storageChange, changes) }, options),

    /** Extends the last partition and its file system to the storage's size. Returns the backup that is made before. */
    async resizeFilesystem(uuid: string, options?: CallOptions) {
      const answer = envelope('resize_backup', storage);
      return (await http.send('POST', `${at(uuid)}/resize`, { answer, options })).resize_backup;
    },

    /** Deletes a storage. Its backups stay by default. */
    delete: (uuid: string, { backups }: { backups?: 'keep' | 'keep_latest' | 'delete' } = {}, options?: CallOptions) =>
      http.tell('DELETE', at(uuid), { query: backups && [['backups', backups]], options }),

    clone: (uuid: string, wanted: StorageClone, options?: CallOptions) =>
      answered('POST', `${at(uuid)}/clone`, { storage: z.encode(storageClone, wanted) }, options),

    /** Creates a private template of a storage. */
    templatize: (uuid: string, title: string, options?: CallOptions) =>
      answered('POST', `${at(uuid)}/templatize`, { storage: { title } }, options),

    backup: (uuid: string, title: string, options?: CallOptions) =>
      answered('POST', `${at(uuid)}/backup`, { storage: { title } }, options),

    /** Restores a backup (by its UUID) to its source. */
    restore: (backup: string, options?: CallOptions) => http.tell('POST', `${at(backup)}/restore`, { options }),

    /** Imports the content from a URL. */
    async import(uuid: string, url: string, options?: CallOptions) {
      const body = { storage_import: { source: 'http_import', source_location: url } };
      return (await http.send('POST', `${at(uuid)}/import`, { body, answer: imported, options })).storage_import;
    },

    async readImport(uuid: string, options?: CallOptions) {
      return (await http.send('GET', `${at(uuid)}/import`, { answer: imported, options })).storage_import;
    },

    /** Polls until the storage is usable. The state `error` ends the wait too, so check the result. */
    waitOnline: (uuid: string, options?: WaitOptions) =>
      waitUntil(
        `storage ${uuid} to be online`,
        () => read(uuid, options),
        (seen) => seen.state === 'online' || seen.state === 'error',
        options,
      ),

    waitGone: (uuid: string, options?: WaitOptions) =>
      waitUntilGone(`the end of storage ${uuid}`, () => read(uuid, options), options),
  };
}
