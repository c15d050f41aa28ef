import { existsSync } from 'node:fs';
import { inputError, ProvisioningError } from '../../../core/errors.js';
import { type Cipher, createCipher } from '../../../encryption/cipher.js';
import { loadKeyring } from '../../../encryption/keyring.js';
import { environmentKeys, readKeyring } from '../../../encryption/keys.js';
import type { Home } from '../../../home/home.js';

/** Opens only the keys of the environment. */
export const openEnvironmentCipher = async (env: NodeJS.ProcessEnv): Promise<Cipher> =>
  createCipher(await loadKeyring(async () => environmentKeys(env)));

/**
 * Returns a cipher with the keys of a home and of the environment, or of a copy of `keys.json`; undefined without
 * keys.
 *
 * @throws inputError for keys that cannot be read, `no-encryption-key` if the named copy does not exist
 */
export async function availableCipher(home: Home, env: NodeJS.ProcessEnv, file?: string): Promise<Cipher | undefined> {
  if (file !== undefined && !existsSync(file))
    throw inputError({ code: 'no-encryption-key', what: 'read the encryption keys', on: file, why: 'the file does not exist' });
  try {
    return createCipher(await readKeyring({ folder: home.encryption, env, file }));
  } catch (error) {
    if (error instanceof ProvisioningError && error.details.code === 'no-encryption-key') return undefined;
    throw error;
  }
}
