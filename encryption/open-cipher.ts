import { type Cipher, createCipher } from './cipher.js';
import type { Keyring } from './keyring.js';
import { readKeyring } from './keys.js';

/** How long another process's new key goes unnoticed, in milliseconds. */
const LOOK_AGAIN_MS = 1_000;

/**
 * The cipher of a set-up, without what Temporal needs. Takes up new keys within a second for as long as the process lives.
 *
 * @param folder of the home's keys
 * @throws inputError where there is no key, or one cannot be read
 */
export async function openCipher(folder: string, env: NodeJS.ProcessEnv): Promise<{ keyring: Keyring; cipher: Cipher }> {
  const keyring = await readKeyring({ folder, env });
  // What cannot be read just now changes nothing: the known keys go on.
  setInterval(() => keyring.refresh().catch(() => {}), LOOK_AGAIN_MS).unref();
  return { keyring, cipher: createCipher(keyring) };
}
