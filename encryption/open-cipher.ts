import { type Cipher, createCipher } from './cipher.js';
import type { Keyring } from './keyring.js';
import { readKeyring } from './keys.js';

/** Interval at which new keys of other processes are read, in milliseconds. */
const LOOK_AGAIN_MS = 1_000;

/**
 * Opens the cipher of a set-up, without Temporal's parts. It uses new keys within a second while the process runs.
 *
 * @param folder folder of the home's keys
 * @throws inputError without any key, or if one cannot be read
 */
export async function openCipher(folder: string, env: NodeJS.ProcessEnv): Promise<{ keyring: Keyring; cipher: Cipher }> {
  const keyring = await readKeyring({ folder, env });
  // If the keys cannot be read at this moment, the known keys stay in use.
  setInterval(() => keyring.refresh().catch(() => {}), LOOK_AGAIN_MS).unref();
  return { keyring, cipher: createCipher(keyring) };
}
