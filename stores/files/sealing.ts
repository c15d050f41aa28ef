import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { ensureKey } from '../../encryption/keys.js';
import { createFile } from '../../home/durable.js';
import type { Home } from '../../home/home.js';
import { readIdentity } from '../../home/identity.js';
import { ensureIdentity } from './identity-file.js';
import { ignoreMissing } from './listing.js';
import { type PrivateText, privateText } from './private-text.js';
import type { Sealer } from './sealer.js';

/** Folders and files of a home that sealing has to do with. */
export type SealedHome = Pick<Home, 'encryption' | 'identity' | 'engine'>;

/** File that marks a new or migrated home: its private texts are sealed. */
const markOf = ({ encryption }: SealedHome): string => join(encryption, 'files-are-sealed');

/** Whether private files of a home are written sealed. */
const areSealed = async (home: SealedHome): Promise<boolean> => (await ignoreMissing(stat(markOf(home)))) !== undefined;

/** From now on private files of a home are written sealed. */
export const markSealed = async (home: SealedHome): Promise<void> => void (await createFile(markOf(home), ''));

/**
 * Enables sealed files in a new home, and creates its first key.
 *
 * @returns whether its files are sealed; not the files of a former version, whose worker could not read them
 */
export async function beginSealed(home: SealedHome, env: NodeJS.ProcessEnv): Promise<boolean> {
  if (await areSealed(home)) return true;
  if (await readIdentity(home)) return false;
  await markSealed(home);
  await makeFirstKey(home, env);
  return true;
}

/** Creates the first key of a home without any key. */
export const makeFirstKey = (home: SealedHome, env: NodeJS.ProcessEnv): Promise<void> =>
  ensureKey({ folder: home.encryption, env, setUp: async () => (await ensureIdentity(home)).id });

/** The sealer of a home that may be new: its first key is made before anything is sealed. */
export function createKeyedSealer(home: SealedHome, sealer: Sealer, env: NodeJS.ProcessEnv): Sealer {
  let hasKey = false;
  return async () => {
    if (!hasKey && !(await beginSealed(home, env))) await makeFirstKey(home, env);
    hasKey = true;
    return sealer();
  };
}

/** Creates the format of private texts in the files of a home. */
export function createPrivateText(home: SealedHome, sealer: Sealer, env: NodeJS.ProcessEnv): PrivateText {
  let isSealing = false;
  return privateText(sealer, async () => {
    isSealing ||= await beginSealed(home, env);
    return isSealing;
  });
}
