import { realpath } from 'node:fs/promises';
import { homedir } from 'node:os';
import { sep } from 'node:path';

/** Reports whether a folder is the user's home or the root of the machine, which have other projects, too. */
export const isWholeHome = async (own: string): Promise<boolean> =>
  own === sep || own === (await realpath(homedir()).catch(() => ''));

export const WHOLE_HOME = 'the workspace is your home folder: all that is in it is not for definitions';
