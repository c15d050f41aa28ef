import { closeSync, constants, fstatSync, lstatSync, readFileSync, realpathSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { type OpenFolder, openFolder, openIn } from '../../../definition/source/beneath.js';
import { isInside } from '../../../definition/source/is-inside.js';
import { SourceFault } from '../source-fault.js';
import { bytesText, type IgnoreFile, ignoreFile } from './ignore-file.js';

const NAME = '.gitignore';
/** Maximum size of one file, in bytes. */
const MOST_BYTES = 256 * 1024;
/** Maximum number of comparisons between paths and rules. Hostile rules cannot block the reader. */
const MOST_WORK = 20_000_000;

/** Effective `.gitignore` files of a folder, the closest first. */
export type ActiveIgnoreFiles = readonly { file: IgnoreFile; above: string }[];

/** Reads the rules of folders and decides what they exclude. */
export class IgnoreFiles {
  #work = 0;

  /**
   * Returns the rules of a folder followed by those above it.
   *
   * @param path of the folder from the top of the source, in bytes
   */
  in(folder: OpenFolder, path: string, above: ActiveIgnoreFiles): ActiveIgnoreFiles {
    const file = readIn(folder, path);
    return file === undefined || file.rules === 0 ? above : [{ file, above: path === '' ? '' : `${path}/` }, ...above];
  }

  /**
   * Returns the rules of the folders above a source, up to the Git checkout, otherwise to the workspace's folder.
   * Git's configuration and index are not read: only the existence of `.git` matters.
   */
  above(source: string, root: string): ActiveIgnoreFiles {
    const folders: string[] = [];
    const top = checkoutAbove(source) ?? realpathSync(root);
    if (!isInside(source, top)) return [];
    for (let at = source; at !== top; ) {
      at = dirname(at);
      folders.push(at);
    }
    const found: { file: IgnoreFile; above: string }[] = [];
    for (const folder of folders) {
      const opened = openFolder(folder);
      try {
        const file = readIn(opened, folder);
        // Rules of this folder see the source's paths with this prefix.
        const way = bytesText(relative(folder, source).split(sep).join('/'));
        if (file) found.push({ file: prefixed(file, `${way}/`), above: '' });
      } finally {
        closeSync(opened.fd);
      }
    }
    return found;
  }

  /**
   * Returns whether the rules exclude a path.
   *
   * @param path from the top of the source; bytes, one per character
   */
  leavesOut(path: string, isFolder: boolean, inForce: ActiveIgnoreFiles): boolean {
    for (const { file, above } of inForce) {
      this.#work += file.rules;
      if (this.#work > MOST_WORK) throw new SourceFault('its .gitignore files have too many patterns', 'merge or remove patterns');
      const verdict = file.verdictOf(path.slice(above.length), isFolder);
      if (verdict !== undefined) return verdict === 'ignored';
    }
    return false;
  }
}

const prefixed = (file: IgnoreFile, way: string): IgnoreFile => ({
  rules: file.rules,
  verdictOf: (path, isFolder) => file.verdictOf(way + path, isFolder),
});

/** Returns the closest folder at or above a source that has a `.git`. */
function checkoutAbove(source: string): string | undefined {
  for (let at = source; ; at = dirname(at)) {
    if (lstatSync(join(at, '.git'), { throwIfNoEntry: false })) return at;
    if (at === dirname(at)) return undefined;
  }
}

/** Reads a `.gitignore`. Like Git, accepts only a regular file and no link. */
function readIn(folder: OpenFolder, path: string): IgnoreFile | undefined {
  let fd: number;
  try {
    fd = openIn(folder, NAME);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ELOOP' || code === 'ENXIO') return undefined;
    throw new SourceFault(`${join(path, NAME)} cannot be read (${code})`);
  }
  try {
    const { size, mode } = fstatSync(fd);
    if ((mode & constants.S_IFMT) !== constants.S_IFREG) return undefined;
    if (size > MOST_BYTES) throw new SourceFault(`${join(path, NAME)} is larger than 256 KiB`, 'remove patterns');
    return ignoreFile(readFileSync(fd).toString('latin1'));
  } finally {
    closeSync(fd);
  }
}
