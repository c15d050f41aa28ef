import { closeSync, constants, fstatSync, lstatSync, readFileSync, realpathSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { type OpenFolder, openFolder, openIn } from '../../../definition/source/beneath.js';
import { isInside } from '../../../definition/source/is-inside.js';
import { SourceFault } from '../source-fault.js';
import { bytesText, type IgnoreFile, ignoreFile } from './ignore-file.js';

const NAME = '.gitignore';
/** Of one file, in bytes. */
const MOST_BYTES = 256 * 1024;
/** Comparisons of a path with a rule, in all: a stranger's rules do not hold up who reads them. */
const MOST_WORK = 20_000_000;

/** The `.gitignore` files that count for a folder, the closest first. */
export type ActiveIgnoreFiles = readonly { file: IgnoreFile; above: string }[];

/** Reads the rules of folders and says what they leave out. */
export class IgnoreFiles {
  #work = 0;

  /** The rules of a folder in front of those above it. @param path of the folder from the top of the source; bytes */
  in(folder: OpenFolder, path: string, above: ActiveIgnoreFiles): ActiveIgnoreFiles {
    const file = readIn(folder, path);
    return file === undefined || file.rules === 0 ? above : [{ file, above: path === '' ? '' : `${path}/` }, ...above];
  }

  /**
   * The rules of the folders above a source, up to the one that is a Git checkout, else to the folder of the workspace.
   * No configuration of Git is read, and no list of its index: a `.git` is looked for, and not opened.
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
        // Paths of the source are below it: the rules see them with what leads there.
        const way = bytesText(relative(folder, source).split(sep).join('/'));
        if (file) found.push({ file: prefixed(file, `${way}/`), above: '' });
      } finally {
        closeSync(opened.fd);
      }
    }
    return found;
  }

  /** @param path from the top of the source; bytes, one a character */
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

/** The closest folder at or above a source that has a `.git`. */
function checkoutAbove(source: string): string | undefined {
  for (let at = source; ; at = dirname(at)) {
    if (lstatSync(join(at, '.git'), { throwIfNoEntry: false })) return at;
    if (at === dirname(at)) return undefined;
  }
}

/** Like Git, it takes no link and nothing but a file for one. */
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
