import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { inputError } from '../core/errors.js';
import type { Home } from './home.js';

/** Which set-up a home is: by its id clouds know what is its own, and its task queue comes from it. */
export interface SetUp {
  id: string;
}

/** Where it was while it lay beside the engine's database. */
export const formerIdentityOf = (home: Pick<Home, 'engine'>): string => join(home.engine, 'identity.json');

/** The home's identity, where it has one; also where it lay in a former version. Changes nothing. Throws as `identityAt`. */
export const readIdentity = async (home: Pick<Home, 'identity' | 'engine'>): Promise<SetUp | undefined> =>
  (await identityAt(home.identity)) ?? identityAt(formerIdentityOf(home));

/**
 * The identity in a file, with what else is kept there; undefined where there is no such file.
 *
 * @throws inputError `bad-identity` where it cannot be read: another would disown all that exists
 */
export async function identityAt<Kept extends SetUp = SetUp>(path: string): Promise<Kept | undefined> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  try {
    const found = JSON.parse(text) as Kept;
    if (typeof found.id === 'string' && found.id !== '') return found;
  } catch {
    // Told below.
  }
  const why = 'the file has no valid identity';
  const hint =
    'restore it from a backup (provisioning backup restore): with another identity the platform does not recognize its cloud resources';
  throw inputError({ code: 'bad-identity', what: 'read the identity of the set-up', on: path, why, hint });
}
