import { createSecretKey, randomBytes } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { inputError } from '../../core/errors.js';
import { createFile, replaceFile } from '../../home/durable.js';
import { stateFolderOf } from '../../home/state-folder.js';
import { type EncryptionKey, fingerprintOf } from '../keyring.js';
import { BYTES, type KmsPlace } from './key-wrapper.js';

/** What systemd's `LoadCredential=` is to call it. */
const CREDENTIAL = 'provisioning-key';
const LOOSE = 0o077;

/** The file of this machine's wrapping keys for a set-up: base64, one a line, the current one first. */
export const localKeyPath = ({ setUp, env }: KmsPlace): string => join(stateFolderOf(env), 'keys', setUp);

/**
 * The wrapping keys of this machine for a set-up, the current one first; none where there is no file.
 * A credential of systemd's goes before the file.
 *
 * @throws inputError `key-file` where others may read the file or it cannot be understood
 */
export async function readLocalKeys(place: KmsPlace): Promise<EncryptionKey[]> {
  const folder = place.env.CREDENTIALS_DIRECTORY;
  const given = folder ? await keysIn(join(folder, CREDENTIAL)) : [];
  return [...given, ...(await keysIn(localKeyPath(place), LOOSE))];
}

/** Makes the wrapping key of this machine unless there is one; two at once make one. */
export async function ensureLocalKey(place: KmsPlace): Promise<void> {
  await createFile(localKeyPath(place), lineOf(randomBytes(BYTES)));
}

/** Puts a new wrapping key before the others, which still open. */
export async function addLocalKey(place: KmsPlace): Promise<void> {
  await keepLocalKeys(place, [lineOf(randomBytes(BYTES)), ...(await linesAt(place))]);
}

/** Keeps the current wrapping key alone: to be called once nothing is wrapped by the others. */
export async function dropFormerLocalKeys(place: KmsPlace): Promise<void> {
  const lines = await linesAt(place);
  if (lines.length > 1) await keepLocalKeys(place, lines.slice(0, 1));
}

/** The wrapping keys as they are kept elsewhere: base64. */
export const exportLocalKeys = async (place: KmsPlace): Promise<string[]> => (await linesAt(place)).map((line) => line.trim());

/** Takes up wrapping keys that were kept elsewhere, behind those that are here. @returns how many were missing */
export async function importLocalKeys(place: KmsPlace, keys: readonly string[]): Promise<number> {
  const here = (await linesAt(place)).map((line) => line.trim());
  const missing = keys.filter((key) => !here.includes(key));
  if (missing.length > 0)
    await keepLocalKeys(
      place,
      [...here, ...missing].map((key) => `${key}\n`),
    );
  return missing.length;
}

const keepLocalKeys = (place: KmsPlace, lines: readonly string[]): Promise<void> =>
  replaceFile(localKeyPath(place), lines.join(''));

const linesAt = async (place: KmsPlace): Promise<string[]> =>
  (await keysIn(localKeyPath(place), LOOSE)).map(({ secret }) => lineOf(secret.export()));

const lineOf = (key: Buffer): string => `${key.toString('base64')}\n`;

async function keysIn(path: string, forbidden = 0): Promise<EncryptionKey[]> {
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined;
    throw error;
  });
  if (!found) return [];
  if (found.mode & forbidden) {
    const mode = (found.mode & 0o777).toString(8);
    throw badKey(path, `others may read or write it (mode ${mode})`, `chmod 600 ${path}`);
  }
  const lines = (await readFile(path, 'utf8')).split('\n').map((line) => line.trim());
  return lines.filter(Boolean).map((line) => {
    const bytes = Buffer.from(line, 'base64');
    if (bytes.length !== BYTES) throw badKey(path, `it has a line that is not the base64 of ${BYTES} bytes`, RESTORE);
    const secret = createSecretKey(bytes);
    return { id: fingerprintOf(secret), secret, source: path };
  });
}

const RESTORE = 'restore it from the recovery copy: provisioning key import FILE';

const badKey = (on: string, why: string, hint: string) =>
  inputError({ code: 'key-file', what: 'read the wrapping key', on, why, hint });
