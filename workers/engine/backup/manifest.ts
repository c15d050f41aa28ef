import { createHash } from 'node:crypto';
import * as z from 'zod';
import type { BackupInfo } from '../../../core/engine/backup.js';
import { RECORD_KINDS } from '../../../stores/records.js';
import { type ArchiveReader, createDamagedError } from './archive-reader.js';

export const MANIFEST = 'manifest.json';
/** The manifest's hash, sealed: who has no key cannot make one. */
export const SEAL = 'manifest.seal';
export const DATABASE = 'engine/temporal.db';

/** What the manifest's seal is of. */
export const SEAL_CONTEXT = 'backup/manifest';

/** That of two million payloads, in bytes. Node has no longer text than 512 MiB. */
export const MOST_MANIFEST = 500 * 1024 * 1024;
const FORMAT = 1;

/** Shown to people before anybody knows who made it: no line of ours can be written with it. */
const shown = z
  .string()
  .max(2_000)
  .regex(/^\P{Cc}*$/u);

const entry = z.strictObject({
  /** Its name in the archive, which says nothing. */
  entry: z.string(),
  kind: z.enum(['engine', 'file', ...RECORD_KINDS]),
  /** What it is: the path of a file, the names of a record. */
  name: z.array(z.string()),
  size: z.int().min(0),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  /** Sealed with the set-up's key; what is not is ciphertext already, as payloads and histories are. */
  sealed: z.boolean(),
});

const engine = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('own'), line: shown }),
  z.strictObject({ kind: z.literal('configured'), address: shown }),
  z.strictObject({ kind: z.literal('none') }),
]);

const manifest = z.strictObject({
  format: z.literal(FORMAT),
  id: z.uuid(),
  created: z.iso.datetime(),
  /** The identity of the set-up; `store` is the id of a team's store. */
  setup: z.strictObject({ id: shown, store: z.uuid().optional() }),
  key: shown,
  /** Temporal's namespace, which payloads are bound to. */
  namespace: shown,
  engine,
  store: z.strictObject({ kind: z.enum(['files', 'postgres']), name: shown }),
  infras: z.int().min(0).optional(),
  operations: z.array(shown).optional(),
  entries: z.array(entry),
});

export type Manifest = z.infer<typeof manifest>;
export type ManifestEntry = z.infer<typeof entry>;

export const bytesOfManifest = (made: Omit<Manifest, 'format'>): Buffer =>
  Buffer.from(`${JSON.stringify({ format: FORMAT, ...made })}\n`);

/** What is sealed of a manifest. */
export const digestBytes = (bytes: Uint8Array): Buffer => createHash('sha256').update(bytes).digest();

/** What a sealed entry was sealed as: in another backup, or as another one of this, it does not open. */
export const contextOf = (id: string, { kind, name }: Pick<ManifestEntry, 'kind' | 'name'>): string =>
  JSON.stringify(['backup', id, kind, ...name]);

/** How an entry is called for people. */
export const titleOf = ({ kind, name }: Pick<ManifestEntry, 'kind' | 'name'>): string =>
  `${kind} ${name.filter(Boolean).join('/')}`;

/**
 * What an archive says that it has.
 *
 * @throws inputError `backup-damaged`
 */
export async function readManifest(file: string, archive: ArchiveReader): Promise<{ manifest: Manifest; bytes: Buffer }> {
  const found = archive.entries.get(MANIFEST);
  if (!found) throw createDamagedError(file, `it has no ${MANIFEST}`);
  const bytes = await archive.bytes(found, MOST_MANIFEST);
  try {
    return { manifest: manifest.parse(JSON.parse(bytes.toString('utf8'))), bytes };
  } catch (error) {
    throw createDamagedError(file, `${MANIFEST} does not have the format of this version`, error);
  }
}

/** The manifest for people and programs. */
export function infoOf(file: string, bytes: number, made: Omit<Manifest, 'format'>): BackupInfo {
  const contents: BackupInfo['contents'] = {};
  for (const { kind, size } of made.entries) {
    contents[kind] ??= { count: 0, bytes: 0 };
    contents[kind].count++;
    contents[kind].bytes += size;
  }
  const { id, created, setup, key, engine, store, infras, operations } = made;
  const known = { infras, operations: operations?.length };
  return { file, bytes, id, created, setup: setup.id, key, engine, store: store.name, ...known, contents };
}
