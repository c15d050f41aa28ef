import { closeSync } from 'node:fs';
import { lstat, mkdir, open, realpath, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { inputError } from '../../core/errors.js';
import { type OpenFolder, openFolderBeneath, PathEscape, pathIn } from '../../definition/source/beneath.js';

/** Restrictions on the place of a file. */
export interface WriteOptions {
  /** Whether a link's target is written: only for the user's own files, since a workspace's link may be untrusted. */
  links?: boolean;
  /** Folder that must contain the file, after the links in its path. Default: its own folder. */
  within?: string | undefined;
}

/**
 * Writes a text to a file atomically, and keeps the file's mode. The folder is opened first and not resolved by name
 * again.
 *
 * @param mode of a new file
 * @throws inputError `file-is-a-link`
 */
export async function writeWhole(path: string, text: string | Uint8Array, mode: number, writing: WriteOptions = {}): Promise<void> {
  const forFolders = mode & 0o077 ? 0o777 : 0o700;
  if (writing.links) {
    const file = await realpath(path).catch(() => path);
    const before = await stat(file).catch(() => undefined);
    await mkdir(dirname(file), { recursive: true, mode: forFolders });
    return replaceFile(file, text, mode, before && { mode: before.mode & 0o777 });
  }
  await useFolder(path, forFolders, writing.within, async (place) => {
    const before = await lstat(place).catch(() => undefined);
    if (before?.isSymbolicLink()) throw isLink(path);
    await replaceFile(place, text, mode, before && { mode: before.mode & 0o777 });
  });
}

/**
 * Opens or creates the folder of a file, and passes the path of the file in the open folder. A later change of the
 * folder's name has no effect.
 *
 * @param mode of created folders
 * @param within the folder that must contain it, after its links
 * @throws inputError `file-is-a-link`
 */
export async function useFolder<T>(
  path: string,
  mode: number,
  within: string | undefined,
  work: (place: string) => Promise<T>,
): Promise<T> {
  const own = dirname(resolve(path));
  if (within === undefined) await mkdir(own, { recursive: true, mode });
  const folder = opened(path, within ?? own, own, mode);
  try {
    return await work(String(pathIn(folder, basename(path))));
  } finally {
    closeSync(folder.fd);
  }
}

function opened(path: string, within: string, own: string, mode: number): OpenFolder {
  try {
    return openFolderBeneath(within, own, mode);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (error instanceof PathEscape) throw isLink(path, `a folder on the way to it is a link to outside of ${within}`);
    if (code === 'ELOOP' || code === 'ENOTDIR') throw isLink(path, 'something on the way to it is not a folder');
    throw error;
  }
}

/**
 * Replaces a file, or a link, with a new file, atomically.
 *
 * @param mode initial mode, reduced by the umask
 * @param as owner and mode of the result, regardless of the umask
 */
export async function replaceFile(
  file: string,
  text: string | Uint8Array,
  mode: number,
  as?: { mode: number; owner?: { uid: number; gid: number } },
): Promise<void> {
  const beside = join(dirname(file), `.${basename(file)}.${process.pid}.${Date.now()}`);
  const handle = await open(beside, 'wx', mode);
  try {
    if (as?.owner) await handle.chown(as.owner.uid, as.owner.gid);
    if (as) await handle.chmod(as.mode);
    await handle.writeFile(text);
    await handle.sync();
    await handle.close();
    await rename(beside, file);
  } catch (error) {
    await handle.close().catch(() => {});
    await rm(beside, { force: true });
    throw error;
  }
}

const isLink = (on: string, why = 'it is a symbolic link') =>
  inputError({
    code: 'file-is-a-link',
    what: 'write the file',
    on,
    why,
    hint: "use the path of the link's target, or replace the link with the file",
  });
