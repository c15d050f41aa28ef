import { createHash } from 'node:crypto';
import { stat } from 'node:fs/promises';
import type { BackupVerification } from '../../../core/engine/backup.js';
import { inputError, messageOf, ProvisioningError } from '../../../core/errors.js';
import type { Reporter } from '../../../core/report.js';
import type { Cipher } from '../../../encryption/cipher.js';
import { openStored } from '../../../encryption/payload-codec.js';
import { type ArchiveReader, createDamagedError, hashOfEntry, readArchive } from './archive-reader.js';
import {
  contextOf,
  digestBytes,
  infoOf,
  MANIFEST,
  type Manifest,
  type ManifestEntry,
  readManifest,
  SEAL,
  SEAL_CONTEXT,
  titleOf,
} from './manifest.js';

/** Maximum size of data that are read into memory at once, in bytes: a log, a page of a batch, a payload. */
export const MOST_RECORD = 1024 * 1024 * 1024;
const MOST_SEAL = 1024;
/** Maximum number of faults that are named. */
const NAMED = 5;

export const OTHER_HASH = 'its SHA-256 is not the one that was written';

/**
 * Reads a complete archive. Each entry must have the hash of the manifest, with no missing and no additional entries.
 * With the key that sealed it, this also verifies the author, and that each record and each payload opens.
 *
 * @throws inputError `no-backup`, `backup-damaged`, which names the entries
 */
export async function verifyBackup(file: string, cipher: Cipher | undefined, report: Reporter): Promise<BackupVerification> {
  const { size } = await stat(file).catch(() => ({ size: 0 }));
  return readArchive(file, async (archive) => {
    const { manifest, bytes } = await readManifest(file, archive);
    const known = new Set([MANIFEST, SEAL, ...manifest.entries.map(({ entry }) => entry)]);
    const strange = [...archive.entries.keys()].find((name) => !known.has(name));
    if (strange) throw createDamagedError(file, `its manifest does not name ${strange}`);
    if (known.size !== manifest.entries.length + 2) throw createDamagedError(file, 'its manifest names an entry twice');
    const seal = cipher ? await verifySeal(file, archive, bytes, cipher) : 'unproven';
    const faults: string[] = [];
    let opened = 0;
    for (const [index, entry] of manifest.entries.entries()) {
      const fraction = (index + 1) / manifest.entries.length;
      report({ task: 'verify', text: `${index + 1} of ${manifest.entries.length} entries`, fraction, state: 'running' });
      try {
        await checkEntry(archive, entry);
        if (cipher && seal === 'authentic' && entry.kind !== 'engine') {
          await openEntry(archive, entry, manifest, cipher);
          opened++;
        }
      } catch (error) {
        faults.push(`${titleOf(entry)} (${entry.entry}): ${whyOf(error)}`);
      }
    }
    if (faults.length > 0) {
      const more = faults.length > NAMED ? `, and ${faults.length - NAMED} more` : '';
      throw createDamagedError(file, `${faults.slice(0, NAMED).join('; ')}${more}`);
    }
    report({ task: 'verify', text: `${manifest.entries.length} entries are whole`, state: 'done' });
    const notes =
      seal === 'authentic'
        ? []
        : [
            `the key ${manifest.key} is not available: hashes are as the manifest says, but who made it is not known, and nothing was opened`,
          ];
    return { ...infoOf(file, size, manifest), seal, opened, notes };
  });
}

/**
 * Verifies that a backup can be opened with only the keys of a recovery copy.
 *
 * @param recovery the path of the copy, for people
 * @throws inputError `backup-key` if the copy does not have the key, and as `verifyBackup`
 */
export async function verifyWithCopy(
  file: string,
  recovery: string,
  cipher: Cipher,
  report: Reporter,
): Promise<BackupVerification> {
  const verified = await verifyBackup(file, cipher, report);
  if (verified.seal === 'authentic') return { ...verified, recovery };
  throw inputError({
    code: 'backup-key',
    what: 'verify the backup',
    on: file,
    why: `the recovery copy ${recovery} does not contain the key ${verified.key} of the backup`,
    hint: 'provisioning key export FILE, in the home of the backup, writes a copy with all of its keys',
  });
}

/**
 * Opens the content of an entry.
 *
 * @throws if it does not match the manifest
 */
export async function openEntry(archive: ArchiveReader, entry: ManifestEntry, manifest: Manifest, cipher: Cipher): Promise<Buffer> {
  const found = archive.entries.get(entry.entry);
  if (!found) throw new Error('it is missing');
  const bytes = await archive.bytes(found, MOST_RECORD);
  if (entry.sealed) return cipher.open(bytes, contextOf(manifest.id, entry));
  if (createHash('sha256').update(bytes).digest('hex') !== entry.sha256) throw new Error(OTHER_HASH);
  // Opened only as a check; it is stored unchanged.
  if (entry.kind === 'payload') await openStored(cipher, manifest.namespace, bytes);
  return bytes;
}

async function checkEntry(archive: ArchiveReader, entry: ManifestEntry): Promise<void> {
  const found = archive.entries.get(entry.entry);
  if (!found) throw new Error('it is missing');
  if (found.size !== entry.size) throw new Error(`it has ${found.size} bytes, and ${entry.size} were written`);
  if ((await hashOfEntry(archive, found)) !== entry.sha256) throw new Error(OTHER_HASH);
}

/** Returns whether an available key sealed the manifest. @throws inputError `backup-damaged` if it was altered since */
export async function verifySeal(
  file: string,
  archive: ArchiveReader,
  manifest: Buffer,
  cipher: Cipher,
): Promise<BackupVerification['seal']> {
  const found = archive.entries.get(SEAL);
  if (!found) throw createDamagedError(file, `it has no ${SEAL}`);
  const sealed = await archive.bytes(found, MOST_SEAL);
  try {
    const digest = await cipher.open(sealed, SEAL_CONTEXT);
    if (digest.equals(digestBytes(manifest))) return 'authentic';
  } catch (error) {
    if (error instanceof ProvisioningError && error.details.code === 'unknown-encryption-key') return 'unproven';
    throw createDamagedError(file, `${SEAL}: ${whyOf(error)}`, error);
  }
  throw createDamagedError(file, `${MANIFEST} was altered after it was sealed`);
}

const whyOf = (error: unknown): string => (error instanceof ProvisioningError ? error.details.why : messageOf(error));
