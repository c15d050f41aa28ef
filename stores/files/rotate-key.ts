import { inputError } from '../../core/errors.js';
import { createKeyFile, environmentKeys, type KeyPlace } from '../../encryption/keys.js';
import type { Home } from '../../home/home.js';
import { beginSealed } from './sealing.js';

/** The key that encrypts from now on, its place, and the key before it. */
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
 * Refuses to rotate keys of the environment, which are in the files of other programs, on all machines.
 *
 * @param first step before the manual rotation
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
 * Prepares a change of a home's keys. A worker of a former version could not read wrapped keys.
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
