import { readFile, stat } from 'node:fs/promises';
import { inputError } from '../core/errors.js';
import { KMS_KINDS, type KmsKind } from './kms/key-wrapper.js';

/** Key as stored in the file: wrapped by a key service, or in base64 from former versions. */
export interface KeyEntry {
  id: string;
  since: string;
  key?: string;
  wrapped?: string;
  /** Key service that wrapped it; absent for a command of a former version. */
  kms?: KmsKind;
}

/** Content of a key file. */
export interface KeyList {
  /** Set-up for which the keys were wrapped. */
  setUp?: string;
  /** The current key first. */
  keys: KeyEntry[];
}

/** Returns the key service that wrapped a key; undefined for a plain key. */
export const kmsOf = ({ wrapped, kms }: KeyEntry): KmsKind | undefined => (wrapped === undefined ? undefined : (kms ?? 'command'));

/**
 * Returns the content of a key file; no keys if the file does not exist.
 *
 * @throws inputError `key-file` if others may read it, or it is invalid
 */
export async function readKeyList(path: string): Promise<KeyList> {
  const found = await stat(path).catch(() => undefined);
  if (!found) return { keys: [] };
  if ((found.mode & 0o077) !== 0) {
    throw badKeyFile(path, `others may read or write it (mode ${(found.mode & 0o777).toString(8)})`, `chmod 600 ${path}`);
  }
  let read: Partial<KeyList>;
  try {
    read = JSON.parse(await readFile(path, 'utf8'));
  } catch {
    // The parser's own message would quote the content.
    throw badKeyFile(path, 'it is not JSON', RESTORE);
  }
  const { setUp, keys } = read ?? {};
  if (Array.isArray(keys) && keys.every(isEntry) && (setUp === undefined || isSetUp(setUp))) return { setUp, keys };
  throw badKeyFile(path, 'it is not of the form { "setUp", "keys": [{ "id", "since", "kms", "wrapped" }] }', RESTORE);
}

export const badKeyFile = (on: string, why: string, hint?: string) =>
  inputError({ code: 'key-file', what: 'read the encryption keys', on, why, hint });

const RESTORE = 'restore a copy of it, or the recovery copy: provisioning key import FILE';

/** Validates the id of a set-up, which becomes a file name. */
export const isSetUp = (text: unknown): text is string =>
  typeof text === 'string' && /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(text);

const isEntry = (entry: KeyEntry): boolean =>
  typeof entry?.id === 'string' &&
  typeof (entry.wrapped ?? entry.key) === 'string' &&
  (entry.kms === undefined || KMS_KINDS.includes(entry.kms));
