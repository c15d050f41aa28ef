import { createSecretKey, randomBytes } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { inputError } from '../../core/errors.js';
import { createFile, replaceFile } from '../../home/durable.js';
import { stateFolderOf } from '../../home/state-folder.js';
import { type EncryptionKey, fingerprintOf } from '../keyring.js';
import { BYTES, type KmsPlace } from './key-wrapper.js';

/** Name of the credential in systemd's `LoadCredential=`. */
const CREDENTIAL = 'provisioning-key';
const LOOSE = 0o077;

/** Returns the path of this machine's wrapping keys for a set-up: base64, one per line, the current one first. */
export const localKeyPath = ({ setUp, env }: KmsPlace): string => join(stateFolderOf(env), 'keys', setUp);

/**
 * Returns the wrapping keys of this machine for a set-up, the current one first; none without a file. A systemd
 * credential has precedence over the file.
 *
 * @throws inputError `key-file` if others may read the file, or it is invalid
 */
export async function readLocalKeys(place: KmsPlace): Promise<EncryptionKey[]> {
  const folder = place.env.CREDENTIALS_DIRECTORY;
  const given = folder ? await keysIn(join(folder, CREDENTIAL)) : [];
  return [...given, ...(await keysIn(localKeyPath(place), LOOSE))];
}

/** Creates the wrapping key of this machine if it is missing; concurrent calls create one. */
export async function ensureLocalKey(place: KmsPlace): Promise<void> {
  await createFile(localKeyPath(place), lineOf(randomBytes(BYTES)));
}

/** Adds a new wrapping key before the others, which still open. */
export async function addLocalKey(place: KmsPlace): Promise<void> {
  await keepLocalKeys(place, [lineOf(randomBytes(BYTES)), ...(await linesAt(place))]);
}

/** Removes all wrapping keys except the current one. Call it when nothing is wrapped by the others. */
export async function dropFormerLocalKeys(place: KmsPlace): Promise<void> {
  const lines = await linesAt(place);
  if (lines.length > 1) await keepLocalKeys(place, lines.slice(0, 1));
}

/** Returns the wrapping keys for an export, in base64. */
export const exportLocalKeys = async (place: KmsPlace): Promise<string[]> => (await linesAt(place)).map((line) => line.trim());

/** Imports wrapping keys, behind the existing ones. @returns how many were missing */
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
