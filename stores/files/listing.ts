import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Names in a folder in their order, those of drafts (which begin with a dot) left out; none where there is no such folder. */
export async function namesIn(...path: string[]): Promise<string[]> {
  const names = await ignoreMissing(readdir(join(...path)));
  return (names ?? []).filter((name) => !name.startsWith('.')).sort();
}

/** Folders two deep, as workspaces and their infras are kept. */
export async function* twoDeep(root: string): AsyncGenerator<[string, string]> {
  for (const first of await namesIn(root)) for (const second of await namesIn(root, first)) yield [first, second];
}

/** A file's bytes; undefined for one that has gone meanwhile. */
export const bytesAt = (...path: string[]): Promise<Buffer | undefined> => ignoreMissing(readFile(join(...path)));

/** What is read there; undefined where nothing is. */
export const ignoreMissing = <T>(reading: Promise<T>): Promise<T | undefined> =>
  reading.catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined;
    throw error;
  });
