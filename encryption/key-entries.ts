import { readFile, stat } from 'node:fs/promises';
import { inputError } from '../core/errors.js';
import { KMS_KINDS, type KmsKind } from './kms/key-wrapper.js';

/** A key as the file has it: wrapped by a key service, or in base64 as former versions left it. */
export interface KeyEntry {
  id: string;
  since: string;
  key?: string;
  wrapped?: string;
  /** Who wrapped it; a command where a former version did. */
  kms?: KmsKind;
}

/** What a file of keys holds. */
export interface KeyList {
  /** The set-up that they were wrapped for. */
  setUp?: string;
  /** The current one first. */
  keys: KeyEntry[];
}

/** Who wrapped a key; undefined for one that lies in the file as it is. */
export const kmsOf = ({ wrapped, kms }: KeyEntry): KmsKind | undefined => (wrapped === undefined ? undefined : (kms ?? 'command'));

/**
 * What a file of keys holds; nothing where there is none.
 *
 * @throws inputError `key-file` where others may read it or it cannot be understood
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
    // The parser's own words would quote what is in the file.
    throw badKeyFile(path, 'it is not JSON', RESTORE);
  }
  const { setUp, keys } = read ?? {};
  if (Array.isArray(keys) && keys.every(isEntry) && (setUp === undefined || isSetUp(setUp))) return { setUp, keys };
  throw badKeyFile(path, 'it is not of the form { "setUp", "keys": [{ "id", "since", "kms", "wrapped" }] }', RESTORE);
}

export const badKeyFile = (on: string, why: string, hint?: string) =>
  inputError({ code: 'key-file', what: 'read the encryption keys', on, why, hint });

const RESTORE = 'restore a copy of it, or the recovery copy: provisioning key import FILE';

/** It becomes the name of a file. */
export const isSetUp = (text: unknown): text is string =>
  typeof text === 'string' && /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(text);

const isEntry = (entry: KeyEntry): boolean =>
  typeof entry?.id === 'string' &&
  typeof (entry.wrapped ?? entry.key) === 'string' &&
  (entry.kms === undefined || KMS_KINDS.includes(entry.kms));
