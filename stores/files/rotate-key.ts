import { inputError } from '../../core/errors.js';
import { createKeyFile, environmentKeys, type KeyPlace } from '../../encryption/keys.js';
import type { Home } from '../../home/home.js';
import { beginSealed } from './sealing.js';

/** The key that encrypts from now on, where it is kept, and the one before it. */
interface RotatedKey {
  id: string;
  source: string;
  former: string | undefined;
}

/**
 * Makes a new encryption key, by which everything is encrypted from now on.
 *
 * @throws inputError `keys-from-environment`, `former-home`
 */
export async function rotateKey(home: Home, place: KeyPlace): Promise<RotatedKey> {
  refuseGivenKeys(place.env);
  await beginKeys(home, place);
  const file = createKeyFile(place);
  const [former] = await file.read();
  const { id, source } = await file.add();
  return { id, source, former: former?.id };
}

/**
 * Keys of the environment stand in the files of other programs, on all machines.
 *
 * @param first what to do before the rotation by hand
 * @throws inputError `keys-from-environment`
 */
export function refuseGivenKeys(env: NodeJS.ProcessEnv, first?: string): void {
  const [given] = environmentKeys(env);
  if (!given) return;
  const byHand =
    'add a new key at the end of PROVISIONING_ENCRYPTION_KEYS on all machines and run `provisioning up` on each, then put it first and run `up` on each again';
  throw inputError({
    code: 'keys-from-environment',
    what: 'rotate the encryption key',
    on: `key ${given.id}`,
    why: `it comes from ${given.source}, which this command cannot change`,
    hint: first === undefined ? byHand : `${first}; ${byHand}`,
  });
}

/**
 * Lets the keys of a home be changed. A worker of a former version could not read what is wrapped then.
 *
 * @throws inputError `former-home`
 */
export async function beginKeys(home: Home, { env }: KeyPlace): Promise<void> {
  if (await beginSealed(home, env)) return;
  throw inputError({
    code: 'former-home',
    what: 'change the encryption keys',
    on: home.root,
    why: 'a former version wrote this home, and its worker may still run',
    hint: 'run `provisioning up` first: it moves the home over',
  });
}
