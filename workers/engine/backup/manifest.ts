import { createHash } from 'node:crypto';
import * as z from 'zod';
import type { BackupInfo } from '../../../core/engine/backup.js';
import { RECORD_KINDS } from '../../../stores/records.js';
import { type ArchiveReader, createDamagedError } from './archive-reader.js';

export const MANIFEST = 'manifest.json';
/** The sealed hash of the manifest, which cannot be created without the key. */
export const SEAL = 'manifest.seal';
export const DATABASE = 'engine/temporal.db';

/** Context of the manifest's seal. */
export const SEAL_CONTEXT = 'backup/manifest';

/** Maximum size of a manifest, in bytes: that of two million payloads. A text in Node has at most 512 MiB. */
export const MOST_MANIFEST = 500 * 1024 * 1024;
const FORMAT = 1;

/** A text that is shown to people before its author is verified: it cannot add lines to the output. */
const shown = z
  .string()
  .max(2_000)
  .regex(/^\P{Cc}*$/u);

const entry = z.strictObject({
  /** Its name in the archive, which has no meaning. */
  entry: z.string(),
  kind: z.enum(['engine', 'file', ...RECORD_KINDS]),
  /** Identity of the entry: the path of a file, or the names of a record. */
  name: z.array(z.string()),
  size: z.int().min(0),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  /** Sealed with the installation's key. An unsealed entry is ciphertext already, such as payloads and histories. */
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
  /** The identity of the installation; `store` is the id of a team's store. */
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

/** Returns the digest of a manifest that is sealed. */
export const digestBytes = (bytes: Uint8Array): Buffer => createHash('sha256').update(bytes).digest();

/**
 * Returns the context that an entry is sealed for: it does not open in another backup, or as another entry of this
 * backup.
 */
export const contextOf = (id: string, { kind, name }: Pick<ManifestEntry, 'kind' | 'name'>): string =>
  JSON.stringify(['backup', id, kind, ...name]);

/** How an entry is called for people. */
export const titleOf = ({ kind, name }: Pick<ManifestEntry, 'kind' | 'name'>): string =>
  `${kind} ${name.filter(Boolean).join('/')}`;

/**
 * Reads the manifest of an archive.
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
