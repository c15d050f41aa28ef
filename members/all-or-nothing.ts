import { chmod, readFile, rm, rmdir, stat, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

interface Former {
  path: string;
  /** Undefined if the file did not exist. */
  was: { bytes: Buffer; mode: number } | undefined;
}

/**
 * Changes files, and restores all of them if the work fails.
 *
 * @param paths all files that the work may write
 * @throws what the work throws
 */
export async function allOrNothing<T>(paths: readonly string[], work: () => Promise<T>): Promise<T> {
  const former = await Promise.all(paths.map(formerOf));
  try {
    return await work();
  } catch (error) {
    // The user needs the error of the work. A file that cannot be restored must not hide it, or stop the other files.
    for (const one of former) await restore(one).catch(() => {});
    throw error;
  }
}

async function formerOf(path: string): Promise<Former> {
  try {
    // Mode and content of a link's target: a link has its own mode.
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
    // Writing keeps the mode of an existing file, and a private file must never be readable by others.
    await chmod(path, was.mode).catch(() => {});
    await writeFile(path, was.bytes, { mode: was.mode });
    return chmod(path, was.mode);
  }
  await rm(path, { force: true }).catch(() => {});
  // Removes a folder that was created for the file; a folder with other content stays.
  await rmdir(dirname(path)).catch(() => {});
}
