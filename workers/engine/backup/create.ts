import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { NewBackup } from '../../../core/engine/backup.js';
import type { EngineRecord } from '../../../core/engine/engine.js';
import { inputError } from '../../../core/errors.js';
import { DEFAULT_NAMESPACE } from '../../../core/names.js';
import type { Reporter } from '../../../core/report.js';
import type { Cipher } from '../../../encryption/cipher.js';
import { openEncryption } from '../../../encryption/open-encryption.js';
import type { Home } from '../../../home/home.js';
import { allRegistered } from '../../../home/workspaces/registry.js';
import { resolveEnvironment } from '../../../settings/settings.js';
import { isLocal, readConfiguredService } from '../../../settings/temporal-service.js';
import { userAgeKeys } from '../../../sops/age/identities.js';
import { openRecords } from '../../../stores/open-records.js';
import { RECORD_KINDS, type RecordKind, type StoreRecords } from '../../../stores/records.js';
import { type Identity, readIdentity } from '../identity.js';
import { readRecord } from '../record.js';
import { type ArchiveWriter, writeArchive } from './archive-writer.js';
import { draftOf, useDrafts } from './drafts.js';
import { homeFiles } from './home-files.js';
import {
  bytesOfManifest,
  contextOf,
  DATABASE,
  digestBytes,
  infoOf,
  MANIFEST,
  type ManifestEntry,
  MOST_MANIFEST,
  SEAL,
  SEAL_CONTEXT,
} from './manifest.js';
import { describeRecovery } from './recovery.js';
import { findRunning, type RunningNow } from './running-now.js';
import { copyDatabase } from './snapshot.js';

export interface CreateOptions {
  /** Default: a file named by installation and time in `backups/` of the home. */
  out?: string;
  /** Folder of the backup if `out` is absent. Default: `backups/` of the home. */
  folder?: string;
  /** Default true. */
  logs?: boolean;
  env?: NodeJS.ProcessEnv;
}

/** Bytes of a manifest that are not for entries: the running operations. */
const ROOM = 10 * 1024 * 1024;

/**
 * Kinds that are copied before Temporal's own data. After a restore, a state with a higher number than Temporal knows
 * would be refused, and so would an infra whose feed is ahead. A feed that is behind is completed with the infra's
 * next change.
 */
const BEFORE = ['sequence', 'feed'] as const satisfies RecordKind[];

/**
 * Writes the complete state of an installation into one archive, while the installation works. The archive has
 * Temporal's data of one moment, and then the data that they refer to, which never change. All entries except
 * ciphertext are sealed with the installation's key, which is not in the archive.
 *
 * @throws inputError `nothing-to-back-up`, `backup-exists`, `engine-runs`, `engine-file-version`, `backup-too-large`
 */
export async function createBackup(home: Home, options: CreateOptions, report: Reporter): Promise<NewBackup> {
  const env = await resolveEnvironment(home, options.env ?? process.env);
  const identity = await readIdentity(home);
  if (!identity) {
    const hint = 'check PROVISIONING_HOME; `provisioning up` creates a platform';
    throw inputError({
      code: 'nothing-to-back-up',
      what: 'back up the set-up',
      on: home.root,
      why: 'the home has no state',
      hint,
    });
  }
  const created = new Date().toISOString();
  const file = resolve(options.out ?? join(options.folder ?? home.backups, `${identity.id}-${created.replace(/[:.]/g, '-')}.tar`));
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  return useDrafts(file, `${identity.id}-`, () => write({ home, identity, created, file, env, logs: options.logs }, report));
}

interface Begun extends Pick<CreateOptions, 'logs'> {
  home: Home;
  identity: Identity;
  created: string;
  file: string;
  env: NodeJS.ProcessEnv;
}

async function write({ home, identity, created, file, env, logs }: Begun, report: Reporter): Promise<NewBackup> {
  const [{ cipher }, record, records] = await Promise.all([openEncryption(home, env), readRecord(home), openRecords(home, env)]);
  const snapshot = draftOf(file, 'db');
  try {
    const service = await serviceOf(record, identity, env);
    const made = {
      id: randomUUID(),
      created,
      setup: { id: identity.id, store: records.sharedId },
      key: cipher.keyId,
      namespace: record?.namespace ?? (env.PROVISIONING_NAMESPACE || DEFAULT_NAMESPACE),
      engine: { kind: 'none' } as NewBackup['engine'],
      store: { kind: records.sharedId ? ('postgres' as const) : ('files' as const), name: records.name },
      entries: [] as ManifestEntry[],
    };
    const before = await findRunning(home, env);
    const notes: string[] = [];
    const bytes = await writeArchive(file, async (archive) => {
      const sealing = createSealingWriter(archive, made.id, cipher, made.entries, report);
      for (const kind of BEFORE) await sealing.records(records, kind);
      const line = service ? undefined : await copyDatabase(home, snapshot, env, report);
      if (service) made.engine = { kind: 'configured', address: service.address };
      if (line) {
        made.engine = { kind: 'own', line };
        made.entries.push({
          entry: DATABASE,
          kind: 'engine',
          name: [],
          ...(await archive.file(DATABASE, snapshot)),
          sealed: false,
        });
        report({ task: 'engine', text: 'copied the database', state: 'done' });
      }
      Object.assign(made, eitherRan(before, await findRunning(home, env)));
      for await (const { path, bytes } of homeFiles(home)) {
        if (bytes) await sealing.add('file', [path], bytes);
        else notes.push(`${path} of the home is a link, or no file: what is behind it is not in it`);
      }
      for (const kind of RECORD_KINDS) {
        if ((BEFORE as readonly RecordKind[]).includes(kind) || (kind === 'log' && logs === false)) continue;
        await sealing.records(records, kind);
      }
      const manifest = bytesOfManifest(made);
      await archive.bytes(MANIFEST, manifest);
      await archive.bytes(SEAL, cipher.seal(digestBytes(manifest), SEAL_CONTEXT));
    });
    report({ task: 'backup', text: `${made.entries.length} entries written`, state: 'done' });
    const { note, ...recovery } = await describeRecovery(home, env, cipher.keyId, file);
    return { ...infoOf(file, bytes, made), ...recovery, notes: [note, ...notesOf(home, made.engine, env), ...notes] };
  } finally {
    await records.close();
  }
}

/** Returns the Temporal service with an installation's data; undefined if the home has them. It decides like `up`. */
async function serviceOf(record: EngineRecord | undefined, { ports }: Identity, env: NodeJS.ProcessEnv) {
  if (record) return record.kind === 'configured' ? record : undefined;
  const service = await readConfiguredService(env);
  return service && !(ports && isLocal(service.address, ports.grpc)) ? service : undefined;
}

/**
 * Returns all operations that ran before or after the copy was made, so that they may run in it. Undefined unless both
 * are known.
 */
export function eitherRan(before: RunningNow | undefined, after: RunningNow | undefined): RunningNow | undefined {
  if (!before || !after) return undefined;
  return { infras: after.infras, operations: [...new Set([...before.operations, ...after.operations])] };
}

/**
 * Adds entries to the archive and to its manifest.
 *
 * @param most bytes that the manifest may have
 */
export function createSealingWriter(
  archive: ArchiveWriter,
  id: string,
  cipher: Cipher,
  entries: ManifestEntry[],
  report: Reporter,
  most = MOST_MANIFEST - ROOM,
) {
  let named = 0;
  async function add(kind: ManifestEntry['kind'], name: readonly string[], bytes: Buffer): Promise<void> {
    const entry = `${kind}/${entries.length + 1}`;
    const sealed = kind !== 'payload';
    const content = sealed ? cipher.seal(bytes, contextOf(id, { kind, name: [...name] })) : bytes;
    const added = { entry, kind, name: [...name], ...(await archive.bytes(entry, content)), sealed };
    named += Buffer.byteLength(JSON.stringify(added)) + 1;
    // Now, not after all of it was written.
    if (named > most) throw tooLarge(entries.length);
    entries.push(added);
  }
  return {
    add,
    async records(source: StoreRecords, kind: RecordKind): Promise<void> {
      let count = 0;
      for await (const { name, bytes } of source.read(kind)) {
        await add(kind, name, bytes);
        if (++count % 100 === 0) report({ task: 'backup', text: `${kind}s: ${count}`, state: 'running' });
      }
    },
  };
}

const tooLarge = (entries: number) =>
  inputError({
    code: 'backup-too-large',
    what: 'back up the set-up',
    why: `the list of entries has no room after ${entries} entries`,
    hint: 'provisioning backup sweep removes unused payloads, --no-logs excludes the output of hosts',
  });

function notesOf(home: Home, engine: NewBackup['engine'], env: NodeJS.ProcessEnv): string[] {
  const notes: string[] = [];
  const elsewhere = ['SOPS_AGE_KEY', 'SOPS_AGE_KEY_FILE', 'SOPS_AGE_KEY_CMD'].filter((name) => env[name]);
  const places = [...elsewhere, ...[userAgeKeys(env)].filter((path) => existsSync(path))];
  if (places.length > 0) notes.push(`age keys of ${places.join(', ')} are not in it: keep a copy, if SOPS files are for them`);
  const workspaces = allRegistered(home);
  if (workspaces.length > 0)
    notes.push(
      `folders of workspaces are not in it: ${workspaces.map(({ folder }) => folder).join(', ')}; \`provisioning workspace register FOLDER\` registers a copy`,
    );
  if (engine.kind === 'configured')
    notes.push(
      `operations and inventories are in the Temporal service at ${engine.address} and not in it: back that up by its own means`,
    );
  if (engine.kind === 'none') notes.push('there is no database of an engine yet: it has keys, secrets and settings alone');
  return notes;
}
