import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { inputError } from '../core/errors.js';
import type { Home } from './home.js';

/** Identity of a home. Its id marks the resources in clouds, and determines its task queue. */
export interface SetUp {
  id: string;
}

/** Returns the former path, beside the engine's database. */
export const formerIdentityOf = (home: Pick<Home, 'engine'>): string => join(home.engine, 'identity.json');

/** Returns the identity of a home, also from its former path; undefined without an identity. Throws as `identityAt`. */
export const readIdentity = async (home: Pick<Home, 'identity' | 'engine'>): Promise<SetUp | undefined> =>
  (await identityAt(home.identity)) ?? identityAt(formerIdentityOf(home));

/**
 * Returns the identity in a file, with all other content; undefined if the file does not exist.
 *
 * @throws inputError `bad-identity` if it is invalid: another identity would disown all existing resources
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
    // Reported below.
  }
  const why = 'the file has no valid identity';
  const hint =
    'restore it from a backup (provisioning backup restore): with another identity the platform does not recognize its cloud resources';
  throw inputError({ code: 'bad-identity', what: 'read the identity of the set-up', on: path, why, hint });
}
