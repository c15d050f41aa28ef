import { lstat, mkdir, open, realpath, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { inputError } from '../../core/errors.js';

/**
 * Puts a text into a file, whole or not at all: whoever reads meanwhile has the former text or
 * this one. Its mode stays.
 *
 * @param mode of a file that is new
 * @param links whether the file behind a link is written: only for the user's own files, since a link in a workspace may be a
 *   stranger's
 * @throws inputError `file-is-a-link`
 */
export async function writeWhole(path: string, text: string | Uint8Array, mode: number, { links = false } = {}): Promise<void> {
  if (!links && (await lstat(path).catch(() => undefined))?.isSymbolicLink()) throw isLink(path);
  const file = await realpath(path).catch(() => path);
  const before = await stat(file).catch(() => undefined);
  const folder = dirname(file);
  await mkdir(folder, { recursive: true, mode: mode & 0o077 ? 0o777 : 0o700 });
  await replaceFile(file, text, mode, before && { mode: before.mode & 0o777 });
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

const isLink = (on: string) =>
  inputError({
    code: 'file-is-a-link',
    what: 'write the file',
    on,
    why: 'it is a symbolic link',
    hint: 'name the file that it leads to, or put the file itself there',
  });
