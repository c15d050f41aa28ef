import { closeSync, constants, type Dirent, fstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { LIMITS, sizeText } from '../../../core/limits.js';
import { clipText } from '../../../core/text.js';
import { isSameFolder, type OpenFolder, openFolderIn, openIn, pathIn } from '../../../definition/source/beneath.js';
import { SMALLER } from '../git.js';
import { SourceFault } from '../source-fault.js';
import type { ActiveIgnoreFiles, IgnoreFiles } from './ignore-files.js';
import { isPrivateFile, isPrivateFolder } from './private-file.js';
import type { ArchiveEntry } from './tar.js';

const MOST_FILES = 100_000;
/** Maximum depth of nested folders. Each stays open while its contents are read. */
const MOST_DEPTH = 200;
/** Maximum bytes of a path that a host can create. */
const MOST_PATH = 3_500;
/** Maximum number of private files that an error lists. */
const NAMED = 3;

/** Selection of a directory's files. */
export interface Choice {
  /** State folder of provisioning, if it exists. */
  state?: { dev: number; ino: number };
  /**
   * Returns whether the user allows a file that holds credentials.
   *
   * @param path from the top of the source
   */
  isNamed(path: string): boolean;
}

/**
 * Reads the files of a directory, folder by folder, without following links. Starts no program. In a Git repository it
 * reads only the `.gitignore` files, because the rest may be untrusted.
 *
 * @param top an open folder; stays open
 * @param above rules of the folders above it
 * @throws SourceFault
 */
export class Walk {
  readonly files: ArchiveEntry[] = [];
  readonly #ignores: IgnoreFiles;
  readonly #private: string[] = [];
  #seen = 0;
  #size = 0;

  constructor(
    ignores: IgnoreFiles,
    private readonly choice: Choice,
  ) {
    this.#ignores = ignores;
  }

  take(top: OpenFolder, above: ActiveIgnoreFiles): readonly ArchiveEntry[] {
    this.#folder(top, '', above, 0);
    const [first] = this.#private;
    if (first === undefined) return this.files;
    const rest = this.#private.length > NAMED ? ` and ${this.#private.length - NAMED} more` : '';
    const names = this.#private.slice(0, NAMED).map((path) => clipText(path, 200));
    throw new SourceFault(
      `it has files that look like credentials: ${names.join(', ')}${rest}`,
      `exclude them in .gitignore, or allow them: PROVISIONING_GIVEN_FILES=${`${top.path}/${first}`}, comma-separated`,
    );
  }

  #folder(folder: OpenFolder, inside: string, above: ActiveIgnoreFiles, depth: number): void {
    if (this.choice.state && isSameFolder(folder.fd, this.choice.state))
      throw new SourceFault('the platform keeps its state in it', 'name a directory below it');
    if (depth > MOST_DEPTH) throw new SourceFault(`it has more than ${MOST_DEPTH} levels of folders`, SMALLER);
    const inForce = this.#ignores.in(folder, inside, above);
    for (const entry of readdirSync(pathIn(folder, '.'), { withFileTypes: true, encoding: 'buffer' }))
      this.#entry(folder, entry, inside, inForce, depth);
  }

  #entry(folder: OpenFolder, entry: Dirent<Buffer>, inside: string, inForce: ActiveIgnoreFiles, depth: number): void {
    const raw = entry.name;
    const bytes = raw.toString('latin1');
    if (bytes.toLowerCase() === '.git') return;
    const path = inside === '' ? bytes : `${inside}/${bytes}`;
    const isFolder = entry.isDirectory();
    if (this.#ignores.leavesOut(path, isFolder, inForce)) return;
    const name = raw.toString('utf8');
    if (!Buffer.from(name, 'utf8').equals(raw))
      throw new SourceFault(`the name of ${clipText(textOf(path), 200)} is not UTF-8`, 'rename it');
    if (path.length > MOST_PATH) throw new SourceFault(`a path in it has more than ${MOST_PATH} bytes`, 'shorten its names');
    this.#seen += 1;
    if (this.#seen > MOST_FILES) throw new SourceFault('it has more than 100,000 files', SMALLER);
    if (isFolder) {
      // The folder is reported as a whole, without its files.
      if (isPrivateFolder(name) && !this.choice.isNamed(textOf(path))) return void this.#private.push(textOf(path));
      const below = openFolderIn(folder, name);
      try {
        this.#folder(below, path, inForce, depth + 1);
      } finally {
        closeSync(below.fd);
      }
    } else if (entry.isSymbolicLink()) {
      const target = readlinkSync(pathIn(folder, raw), { encoding: 'buffer' });
      this.#add({ path: Buffer.from(path, 'latin1'), mode: 0, content: target, isLink: true });
    } else this.#file(folder, raw, name, path);
  }

  #file(folder: OpenFolder, raw: Buffer, name: string, path: string): void {
    const fd = this.#opened(folder, raw, path);
    try {
      const { mode, size } = fstatSync(fd);
      if ((mode & constants.S_IFMT) !== constants.S_IFREG) throw noFile(path);
      if (this.#size + size > LIMITS.sourceFiles)
        throw new SourceFault(`it is larger than ${sizeText(LIMITS.sourceFiles)}`, SMALLER);
      const content = readFileSync(fd);
      if (isPrivateFile(name, content) && !this.choice.isNamed(textOf(path))) this.#private.push(textOf(path));
      this.#add({ path: Buffer.from(path, 'latin1'), mode, content, isLink: false });
    } finally {
      closeSync(fd);
    }
  }

  #opened(folder: OpenFolder, raw: Buffer, path: string): number {
    try {
      return openIn(folder, raw);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      // A socket, or a file that has since become a link.
      if (code === 'ENXIO' || code === 'ELOOP') throw noFile(path);
      throw new SourceFault(`${clipText(textOf(path), 200)} cannot be read (${code})`);
    }
  }

  #add(file: ArchiveEntry): void {
    this.#size += file.content.length;
    if (this.#size > LIMITS.sourceFiles) throw new SourceFault(`it is larger than ${sizeText(LIMITS.sourceFiles)}`, SMALLER);
    this.files.push(file);
  }
}

const textOf = (path: string): string => Buffer.from(path, 'latin1').toString('utf8');

const noFile = (path: string) =>
  new SourceFault(`${clipText(textOf(path), 200)} is neither a file nor a link`, 'exclude it in .gitignore');
