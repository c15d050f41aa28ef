import { readdir } from 'node:fs/promises';
import { dirname, extname } from 'node:path';
import { formats } from '../source/formats.js';

/** The names of files in a folder that could be read as definitions. */
export async function filesIn(folder: string): Promise<string[]> {
  const files = await readdir(folder).catch(() => [] as string[]);
  return files.filter((file) => Object.hasOwn(formats, extname(file))).sort();
}

/** Those in the folder where a file was looked for. */
export const filesBeside = (file: string): Promise<string[]> => filesIn(dirname(file));
