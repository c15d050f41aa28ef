import { realpath } from 'node:fs/promises';
import { homedir } from 'node:os';
import { sep } from 'node:path';

/** Whether a folder is the user's home folder, or the whole machine: what other projects have lies in it. */
export const isWholeHome = async (own: string): Promise<boolean> =>
  own === sep || own === (await realpath(homedir()).catch(() => ''));

export const WHOLE_HOME = 'the workspace is your home folder: all that is in it is not for definitions';
