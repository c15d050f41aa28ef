import { createSecretKey } from 'node:crypto';
import { join } from 'node:path';
import { bugError, inputError } from '../core/errors.js';
import { type KeyFile, keyFile } from './key-file.js';
import { type EncryptionKey, fingerprintOf, type Keyring, loadKeyring } from './keyring.js';
import { BYTES } from './kms/key-wrapper.js';

const VARIABLES = ['PROVISIONING_ENCRYPTION_KEYS', 'PROVISIONING_ENCRYPTION_KEY'] as const;
const ID = /^[A-Za-z0-9._-]{1,40}$/;

/** Places of a set-up's keys: `home.encryption`, and the environment. */
export interface KeyPlace {
  folder: string;
  env: NodeJS.ProcessEnv;
  /** Another file than `keys.json` of the folder. */
  file?: string;
  /** Returns the set-up for new keys. Default: keys are only read. */
  setUp?(): Promise<string>;
}

/**
 * Reads all keys of a set-up. Keys of the environment come first, so its first key is current; keys of the file still
 * open what they sealed.
 *
 * @throws inputError for an invalid key, or without any key
 */
export function readKeyring(place: KeyPlace): Promise<Keyring> {
  const { env } = place;
  const file = createKeyFile(place);
  const given = environmentKeys(env);
  let last: { mark?: string; keys: EncryptionKey[] } | undefined;
  return loadKeyring(async () => {
    const mark = await file.mark();
    if (!last || last.mark !== mark) last = { mark, keys: await file.read() };
    return [...given, ...last.keys];
  });
}

/** Returns the key file of a set-up, wrapped by the service that the settings name. */
export function createKeyFile({ folder, env, file = join(folder, 'keys.json'), setUp = unnamed }: KeyPlace): KeyFile {
  return keyFile(file, { env, setUp });
}

const unnamed = async (): Promise<string> => {
  throw bugError({ code: 'no-set-up', what: 'make an encryption key', why: 'the id of the platform is missing' });
};

/** Creates the first key of a set-up, unless it has a key or the environment gives one. */
export async function ensureKey(place: KeyPlace): Promise<void> {
  if (environmentKeys(place.env).length === 0) await createKeyFile(place).ensure();
}

/** Returns the keys of the environment: `KEY` or `ID:KEY`, comma-separated, in base64. */
export function environmentKeys(env: NodeJS.ProcessEnv): EncryptionKey[] {
  return VARIABLES.flatMap((variable) =>
    (env[variable] ?? '')
      .split(',')
      .map((text) => text.trim())
      .filter(Boolean)
      .map((text, index) => keyFrom(text, variable, index)),
  );
}

function keyFrom(text: string, variable: string, index: number): EncryptionKey {
  const colon = text.indexOf(':');
  const given = colon < 0 ? undefined : text.slice(0, colon);
  const encoded = text.slice(colon + 1);
  const on = `${variable}, key ${index + 1}`;
  const bad = (why: string) =>
    inputError({ code: 'encryption-key', what: 'read the encryption keys', on, why, hint: 'openssl rand -base64 32' });
  // The text is a secret, so the error does not quote it.
  if (given !== undefined && !ID.test(given)) throw bad('its id is not made of letters, digits, ".", "_" and "-"');
  const bytes = Buffer.from(encoded, 'base64');
  if (!/^[A-Za-z0-9+/_-]+={0,2}$/.test(encoded) || bytes.length !== BYTES) {
    throw bad(`it is not the base64 of ${BYTES} bytes`);
  }
  const secret = createSecretKey(bytes);
  return { id: given ?? fingerprintOf(secret), secret, source: variable };
}
