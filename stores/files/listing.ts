import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Returns the names in a folder in order, without drafts (which begin with a dot); empty for a missing folder. */
export async function namesIn(...path: string[]): Promise<string[]> {
  const names = await ignoreMissing(readdir(join(...path)));
  return (names ?? []).filter((name) => !name.startsWith('.')).sort();
}

/** Yields folders of two levels: workspaces and their infras. */
export async function* twoDeep(root: string): AsyncGenerator<[string, string]> {
  for (const first of await namesIn(root)) for (const second of await namesIn(root, first)) yield [first, second];
}

/** Returns the bytes of a file; undefined if the file has gone. */
export const bytesAt = (...path: string[]): Promise<Buffer | undefined> => ignoreMissing(readFile(join(...path)));

/** Returns the result of a read; undefined if the file does not exist. */
export const ignoreMissing = <T>(reading: Promise<T>): Promise<T | undefined> =>
  reading.catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined;
    throw error;
  });
