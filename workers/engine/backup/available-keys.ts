import { existsSync } from 'node:fs';
import { inputError, ProvisioningError } from '../../../core/errors.js';
import { type Cipher, createCipher } from '../../../encryption/cipher.js';
import { loadKeyring } from '../../../encryption/keyring.js';
import { environmentKeys, readKeyring } from '../../../encryption/keys.js';
import type { Home } from '../../../home/home.js';

/** The keys that the environment gives, and no others. */
export const openEnvironmentCipher = async (env: NodeJS.ProcessEnv): Promise<Cipher> =>
  createCipher(await loadKeyring(async () => environmentKeys(env)));

/**
 * The keys of a home and of the environment, or of a copy of `keys.json`; undefined where there is none.
 *
 * @throws inputError where there is one that cannot be read, `no-encryption-key` where the named copy is not there
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
