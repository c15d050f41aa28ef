import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { GOOD_FOR_MS } from '../../../core/encoding/sealed-message.js';
import type { BackupRestoration, BackupVerification } from '../../../core/engine/backup.js';
import { inputError } from '../../../core/errors.js';
import { taskQueueOf } from '../../../core/names.js';
import type { Reporter } from '../../../core/report.js';
import type { Cipher } from '../../../encryption/cipher.js';
import { createFile } from '../../../home/durable.js';
import { type Home, homeOf } from '../../../home/home.js';
import { makePrivate } from '../../../home/private-folder.js';
import { resolveEnvironment } from '../../../settings/settings.js';
import { readConfiguredService } from '../../../settings/temporal-service.js';
import { openRecords } from '../../../stores/open-records.js';
import type { StoreRecords } from '../../../stores/records.js';
import { adoptIdentity } from '../identity.js';
import { holdLock } from '../processes/lock.js';
import { stateFile } from '../state-file.js';
import { type ArchiveReader, createDamagedError, readArchive } from './archive-reader.js';
import { availableCipher } from './available-keys.js';
import { hasSettings, isHomeFile, isSettingsFile, NEW_SETTINGS, settingsWith, writeHomeFile } from './home-files.js';
import { DATABASE, type Manifest, type ManifestEntry, readManifest, titleOf } from './manifest.js';
import {
  abandonRestore,
  beginRestore,
  createInUseError,
  endRestore,
  FULL_HOME,
  isInUse,
  RESTORE_LOCK,
  refuseLiving,
} from './restoring.js';
import { OTHER_HASH, openEntry, verifyBackup, verifySeal } from './verify.js';

export interface RestoreOptions {
  file: string;
  /** The home to create; it may have only keys and settings. */
  to: string;
  /** A copy of `keys.json`, if neither the home nor the environment has keys. */
  key?: string;
  /** `files`, or the address of a team's store, instead of the store in the backup's settings. */
  store?: string;
  env?: NodeJS.ProcessEnv;
}

/**
 * Creates a home from a backup, in which `up` continues from the moment of the backup. It never overwrites another
 * home, and requires an available key of the backup. After a failure the home is as before. After a kill, the same
 * command begins again. A team's store keeps the data that were written into it by then, and must be emptied.
 *
 * @throws inputError `home-not-empty`, `store-not-empty`, `backup-key`, `backup-damaged`, `backup-engine`,
 * `operations-in-backup`
 */
export async function restoreBackup(options: RestoreOptions, report: Reporter): Promise<BackupRestoration> {
  const given: NodeJS.ProcessEnv = { ...(options.env ?? process.env), PROVISIONING_HOME: options.to };
  if (options.store === 'files') delete given.PROVISIONING_STORE;
  else if (options.store) given.PROVISIONING_STORE = options.store;
  const home = homeOf(given);
  // Before anything of it changes: the folder may be any, as of a mistaken --to.
  await refuseLiving(home);
  await makePrivate(home.root);
  return holdLock(join(home.root, RESTORE_LOCK), async () => {
    await refuseLiving(home);
    const cipher = await availableCipher(home, await resolveEnvironment(home, given), options.key);
    const verified = await verifyBackup(options.file, cipher, report);
    if (!cipher || verified.seal !== 'authentic') throw noKey(options.file, verified);
    const begun = { home, cipher, given, options, report };
    try {
      return await readArchive(options.file, (archive) => fill(archive, begun, verified));
    } catch (error) {
      if (!isInUse(error)) await abandonRestore(home);
      throw error;
    }
  });
}

interface Begun {
  home: Home;
  cipher: Cipher;
  given: NodeJS.ProcessEnv;
  options: RestoreOptions;
  report: Reporter;
}

async function fill(archive: ArchiveReader, begun: Begun, verified: BackupVerification): Promise<BackupRestoration> {
  const { home, cipher, given, options, report } = begun;
  const { file, key, store } = options;
  const { manifest, bytes } = await readManifest(file, archive);
  // The archive may have been replaced since it was verified.
  if ((await verifySeal(file, archive, bytes, cipher)) !== 'authentic') throw noKey(file, manifest);
  await abandonRestore(home);
  const ofHome = await hasSettings(home);
  if (ofHome && store) throw settingsSay(home);
  if (key) await keepKey(home, key);
  await beginRestore(home, !ofHome);
  if (!ofHome) await writeSettings(home, archive, manifest, cipher, store);
  const env = await resolveEnvironment(home, given);
  await checkService(file, manifest, env);
  const records = await openRecords(home, env);
  try {
    checkStore(file, manifest, records);
    if (!(await records.isEmpty())) throw holdsSomething(records);
    if (manifest.setup.store) await records.adoptId?.(manifest.setup.store);
    const restored = await restoreEntries(home, archive, manifest, cipher, records, report);
    if (!(await adoptIdentity(home, identityIn(manifest, records))))
      throw createInUseError(home, 'another process began a set-up in it');
    await endRestore(home);
    const { seal: _, opened: __, ...info } = verified;
    return { ...info, home: home.root, into: records.name, restored, notes: notesOf(manifest, records, env) };
  } finally {
    await records.close();
  }
}

/**
 * Stores the keys of the restored backup in the home.
 *
 * @throws inputError `home-not-empty` if the home has other keys, whose data could not be read afterwards
 */
async function keepKey(home: Home, key: string): Promise<void> {
  const path = join(home.encryption, 'keys.json');
  const given = await readFile(key);
  if ((await createFile(path, given)) || given.equals(await readFile(path))) return;
  const hint = `move ${path} away, or omit --key if its keys are correct`;
  throw inputError({ ...FULL_HOME, code: 'home-not-empty', on: home.root, why: `it has other keys than ${key}`, hint });
}

async function writeSettings(
  home: Home,
  archive: ArchiveReader,
  manifest: Manifest,
  cipher: Cipher,
  store: string | undefined,
): Promise<void> {
  const entry = manifest.entries.find(({ kind, name }) => kind === 'file' && isSettingsFile(name[0]));
  if (!entry && (!store || store === 'files')) return;
  const text = entry ? (await openEntry(archive, entry, manifest, cipher)).toString('utf8') : '';
  const path = entry?.name[0] ?? NEW_SETTINGS;
  await writeHomeFile(home, path, Buffer.from(await settingsWith(path, text, store)));
}

/** @returns how many entries */
async function restoreEntries(
  home: Home,
  archive: ArchiveReader,
  manifest: Manifest,
  cipher: Cipher,
  records: StoreRecords,
  report: Reporter,
): Promise<number> {
  const { entries } = manifest;
  let done = 0;
  for (const entry of entries) {
    report({ task: 'restore', text: `${++done} of ${entries.length} entries`, fraction: done / entries.length, state: 'running' });
    if (entry.kind === 'engine') continue;
    const bytes = await openEntry(archive, entry, manifest, cipher);
    if (entry.kind === 'file') await restoreFile(home, entry, bytes);
    else await records.write({ kind: entry.kind, name: entry.name, bytes });
  }
  const database = entries.find(({ kind }) => kind === 'engine');
  // Last, because a home with a database can be started.
  if (database) await restoreDatabase(home, archive, database);
  report({ task: 'restore', text: `${entries.length} entries`, state: 'done' });
  return entries.length;
}

async function restoreFile(home: Home, entry: ManifestEntry, bytes: Buffer): Promise<void> {
  const [path = ''] = entry.name;
  // The home's own settings have precedence; the backup's settings are written already.
  if (isSettingsFile(path)) return;
  if (!isHomeFile(path)) throw createDamagedError(titleOf(entry), 'a home has no such file');
  await writeHomeFile(home, path, bytes);
}

async function restoreDatabase(home: Home, archive: ArchiveReader, entry: ManifestEntry): Promise<void> {
  const found = archive.entries.get(DATABASE);
  if (!found || entry.entry !== DATABASE) throw createDamagedError(titleOf(entry), 'it is missing');
  await mkdir(home.engine, { recursive: true, mode: 0o700 });
  const target = stateFile(home);
  // Beside the log of another database, SQLite would read both as one.
  const other = [target, `${target}-wal`, `${target}-shm`].find((path) => existsSync(path));
  if (other) throw createInUseError(home, `another process created ${other}`);
  const draft = `${target}.restored`;
  await rm(draft, { force: true });
  const file = await open(draft, 'wx', 0o600);
  const sum = createHash('sha256');
  try {
    for await (const piece of archive.pieces(found)) {
      sum.update(piece);
      await file.writeFile(piece);
    }
    await file.sync();
  } finally {
    await file.close();
  }
  if (sum.digest('hex') !== entry.sha256) throw createDamagedError(titleOf(entry), OTHER_HASH);
  await rename(draft, target);
}

/** @throws inputError `backup-engine` */
async function checkService(on: string, { engine }: Manifest, env: NodeJS.ProcessEnv): Promise<void> {
  const service = await readConfiguredService(env);
  if (!service || engine.kind !== 'own') return;
  throw inputError({
    code: 'backup-engine',
    what: 'restore the backup',
    on,
    why: `it contains the data of a home's own engine, but a Temporal service is configured (${service.address})`,
    hint: 'unset TEMPORAL_ADDRESS and TEMPORAL_PROFILE, and `profile` in the settings of the home',
  });
}

/** @throws inputError `operations-in-backup` */
function checkStore(on: string, { store, operations, engine }: Manifest, records: StoreRecords): void {
  const kind = records.sharedId ? 'postgres' : 'files';
  if (kind === store.kind || engine.kind === 'none' || operations?.length === 0) return;
  const [first, ...others] = operations ?? [];
  const running = `${first}${others.length > 0 ? ` and ${others.length} more` : ''} ran when it was made`;
  throw inputError({
    code: 'operations-in-backup',
    what: `restore the backup into ${records.name}`,
    on,
    why: operations ? running : 'Temporal did not answer which operations ran at the time of the backup',
    hint: 'another kind of store needs a backup without running operations: let them end, then run `provisioning backup create` while the engine runs',
  });
}

/**
 * Returns the id that labels this installation's resources at clouds. Workers on one configured service use the id of
 * their store.
 */
const identityIn = ({ setup, engine }: Manifest, records: StoreRecords): string =>
  engine.kind === 'configured' && setup.store && !records.sharedId ? setup.store.slice(0, 8) : setup.id;

function notesOf(manifest: Manifest, records: StoreRecords, env: NodeJS.ProcessEnv): string[] {
  const { engine, setup, created, operations } = manifest;
  const notes = [`it is the set-up ${setup.id}: the home that the backup is of must not run beside it`];
  if (operations?.length)
    notes.push(`${operations.length} operations go on at the next \`up\`, from where they were at ${created}`);
  if (engine.kind === 'configured') {
    notes.push(`operations and inventories are in the Temporal service at ${engine.address}: name it to \`up\` as before`);
    if (records.sharedId && !setup.store && !env.PROVISIONING_TASK_QUEUE)
      notes.push(
        `set the task queue, \`provisioning config set engine.taskQueue ${taskQueueOf(setup.id)}\`: its infras wait on that queue`,
      );
  }
  // Which messages began runs is not in it, and the former home may have taken some until just now.
  if (engine.kind !== 'none') {
    const until = new Date(Date.now() + GOOD_FOR_MS).toISOString();
    notes.push(`let nobody but you reach Temporal before ${until}: until then messages could be used twice`);
  }
  return notes;
}

function holdsSomething({ name: on, sharedId }: StoreRecords) {
  const broken = 'empty its schema `provisioning`, where a restore into it broke off or failed';
  const hint = sharedId ? `choose an empty store (--store); ${broken}` : FULL_HOME.hint;
  return inputError({ ...FULL_HOME, code: 'store-not-empty', on, why: 'it already contains data', hint });
}

const settingsSay = (home: Home) =>
  inputError({
    code: 'settings-say',
    what: 'choose the store',
    on: home.root,
    why: 'the home has settings, which set the store',
    hint: 'set `store.url` there (`store` in a settings.yaml), or omit --store',
  });

const noKey = (on: string, { key }: Pick<BackupVerification, 'key'>) =>
  inputError({
    code: 'backup-key',
    what: 'restore the backup',
    on,
    why: `it was sealed with the key ${key}, which is not available`,
    hint: 'provisioning key import FILE with the recovery copy, --key FILE with a copy of keys.json, or PROVISIONING_ENCRYPTION_KEYS',
  });
