import { chmod, readFile, rm, rmdir, stat, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

interface Former {
  path: string;
  /** Undefined for a file that was not there. */
  was: { bytes: Buffer; mode: number } | undefined;
}

/**
 * Changes files; if that fails, each of them is again what it was.
 *
 * @param paths all files that the work may write
 * @throws what the work throws
 */
export async function allOrNothing<T>(paths: readonly string[], work: () => Promise<T>): Promise<T> {
  const former = await Promise.all(paths.map(formerOf));
  try {
    return await work();
  } catch (error) {
    // The error of the work is what the user needs. A file that cannot be restored does not hide it, nor stop the others.
    for (const one of former) await restore(one).catch(() => {});
    throw error;
  }
}

async function formerOf(path: string): Promise<Former> {
  try {
    // Of the file that a link names, as its bytes are: a link has a mode of its own.
    const { mode } = await stat(path);
    return { path, was: { bytes: await readFile(path), mode: mode & 0o777 } };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return { path, was: undefined };
    throw error;
  }
}

async function restore({ path, was }: Former): Promise<void> {
  if (was) {
    // The mode of a file that is there stays when it is written: a private one must not be readable for a moment either.
    await chmod(path, was.mode).catch(() => {});
    await writeFile(path, was.bytes, { mode: was.mode });
    return chmod(path, was.mode);
  }
  await rm(path, { force: true }).catch(() => {});
  // A folder that was made for the file goes; one that has something else stays.
  await rmdir(dirname(path)).catch(() => {});
}
