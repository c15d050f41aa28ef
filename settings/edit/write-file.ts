import { closeSync } from 'node:fs';
import { lstat, mkdir, open, realpath, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { inputError } from '../../core/errors.js';
import { type OpenFolder, openFolderBeneath, PathEscape, pathIn } from '../../definition/source/beneath.js';

/** Where a file may be written. */
export interface WriteOptions {
  /** Whether the file behind a link is written: only for the user's own files, since a link in a workspace may be a stranger's. */
  links?: boolean;
  /** The folder that the file has to lie in, after the links on the way to it; without it its own folder. */
  within?: string | undefined;
}

/**
 * Puts a text into a file, whole or not at all: whoever reads meanwhile has the former text or
 * this one. Its mode stays. Its folder is opened first and is not looked for by its name again.
 *
 * @param mode of a file that is new
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
 * Opens the folder of a file, made if it is not there, and gives the path of the file in it, whatever becomes of its name.
 *
 * @param mode of folders that are made
 * @param within the folder that it has to lie in, after its links
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
 * Replaces a file, or a link, by a new file with a text, whole or not at all.
 *
 * @param mode that it is made with, less what the mask of the process takes
 * @param as whose it becomes, and its mode whatever the mask
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
