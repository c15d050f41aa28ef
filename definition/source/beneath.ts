import { closeSync, constants, fstatSync, mkdirSync, openSync, realpathSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { isInside } from './is-inside.js';

/** A folder that is open. */
export interface OpenFolder {
  fd: number;
  /** Path at the time of opening. */
  path: string;
}

/** Follows no link, and does not wait for a writer. */
const CAREFUL = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** A path to what an open folder has, whatever becomes of its name; where the system has no such paths, by its name. */
export const pathIn = ({ fd, path }: OpenFolder, name: string | Buffer): string | Buffer => {
  const at = process.platform === 'linux' ? `/proc/self/fd/${fd}` : path;
  return typeof name === 'string' ? `${at}/${name}` : Buffer.concat([Buffer.from(`${at}/`), name]);
};

/** Opens what a folder has, no link. The caller closes it. @throws the error of the system */
export const openIn = (folder: OpenFolder, name: string | Buffer, flags = 0): number =>
  openSync(pathIn(folder, name), CAREFUL | flags);

/** Opens a folder in a folder, no link. The caller closes it. @throws the error of the system */
export const openFolderIn = (folder: OpenFolder, name: string): OpenFolder => ({
  fd: openIn(folder, name, constants.O_DIRECTORY),
  path: join(folder.path, name),
});

/** Opens a folder by a path that has no link in it. The caller closes it. @throws the error of the system */
export const openFolder = (path: string): OpenFolder => ({ fd: openSync(path, CAREFUL | constants.O_DIRECTORY), path });

/** That a path leads out of the folder that it has to stay in. */
export class PathEscape extends Error {}

/**
 * Opens a file by its path below a folder. Links are followed if they stay in the folder. The resolved path is then
 * walked folder by folder without following links, so a link that appears on the way is refused.
 *
 * @returns a file descriptor, which the caller closes, and the path without links
 * @throws PathEscape, or the error of the system
 */
function openBeneath(root: string, path: string): { fd: number; real: string } {
  const own = realpathSync(root);
  const real = realpathSync(path);
  if (!isInside(real, own)) throw new PathEscape(real);
  const parts = relative(own, real).split(sep).filter(Boolean);
  const last = parts.pop();
  const folder = walked(own, parts);
  if (last === undefined) return { fd: folder.fd, real };
  try {
    return { fd: openIn(folder, last), real };
  } finally {
    closeSync(folder.fd);
  }
}

/**
 * Opens a folder below a folder in the same way, and creates missing folders on the way.
 *
 * @param mode mode of created folders, before the umask
 * @returns the folder, which the caller closes
 * @throws PathEscape, or the error of the system
 */
export function openFolderBeneath(root: string, path: string, mode: number): OpenFolder {
  const own = realpathSync(root);
  const missing: string[] = [];
  let there = resolve(path);
  for (; !isThere(there); there = dirname(there)) missing.unshift(basename(there));
  const real = realpathSync(there);
  if (!isInside(real, own)) throw new PathEscape(real);
  return walked(own, [...relative(own, real).split(sep).filter(Boolean), ...missing], mode);
}

/** By what a link leads to: one that leads to nothing is found when it is opened. */
function isThere(path: string): boolean {
  try {
    realpathSync(path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT' && path !== dirname(path)) return false;
    throw error;
  }
}

/** @param mode of missing folders, which are made; without it they are an error */
function walked(from: string, parts: readonly string[], mode?: number): OpenFolder {
  let folder = openFolder(from);
  try {
    for (const part of parts) {
      if (mode !== undefined) makeIn(folder, part, mode);
      const next = openFolderIn(folder, part);
      closeSync(folder.fd);
      folder = next;
    }
    return folder;
  } catch (error) {
    closeSync(folder.fd);
    throw error;
  }
}

function makeIn(folder: OpenFolder, name: string, mode: number): void {
  try {
    mkdirSync(pathIn(folder, name), { mode });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

/** The same as a handle. Rejects with `PathEscape`, or the error of the system. */
export async function handleBeneath(root: string, path: string): Promise<FileHandle> {
  const { fd, real } = openBeneath(root, path);
  try {
    return await open(process.platform === 'linux' ? `/proc/self/fd/${fd}` : real, constants.O_RDONLY | constants.O_NONBLOCK);
  } finally {
    closeSync(fd);
  }
}

/** Whether two descriptors or a descriptor and a folder are the same. */
export function isSameFolder(fd: number, other: { dev: number; ino: number }): boolean {
  const { dev, ino } = fstatSync(fd);
  return dev === other.dev && ino === other.ino;
}
