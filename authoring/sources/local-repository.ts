import { closeSync, constants, fstatSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type OpenFolder, openFolder, openFolderIn, openIn, pathIn } from '../../definition/source/beneath.js';
import { SourceFault } from './source-fault.js';

/** Parts of a local repository that are read: references and objects, never settings. */
interface LocalRepository {
  /** Folder of its objects, as a path without links. */
  objects: string;
  /** Object id of the first existing name. */
  id: string | undefined;
}

const ID = /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/;
/** Maximum size of a references file, in bytes. */
const MOST_BYTES = 16 * 1024 * 1024;
/** Maximum number of object files, including packs. */
const MOST_FILES = 500_000;
/** Maximum length of a reference chain. */
const MOST_STEPS = 5;

/**
 * Looks up a reference of a repository, and checks that its objects are its own: no links and no alternates. Git is
 * not run there, since a repository's settings can name programs to run.
 *
 * @param folder without links; the repository, or a checkout with it in `.git`
 * @param names of references, such as `HEAD` and `refs/heads/main`
 * @throws SourceFault
 */
export function readRepository(folder: string, url: string, names: readonly string[]): LocalRepository {
  const missing = new SourceFault(`${url} is not a Git repository that you can read`);
  const open = opened(folder, url, missing);
  try {
    const objects = folderIn(open, 'objects');
    if (!objects) throw missing;
    try {
      refuseForeign(objects, url);
    } finally {
      closeSync(objects.fd);
    }
    const packed = packedIn(textIn(open, ['packed-refs']));
    const idOf = (name: string, steps = 0): string | undefined => {
      const text = textIn(open, name.split('/'))?.trim() ?? packed.get(name);
      const next = /^ref: (refs\/\S+)$/.exec(text ?? '')?.[1];
      if (next !== undefined && steps < MOST_STEPS && isReference(next)) return idOf(next, steps + 1);
      return text !== undefined && ID.test(text) ? text : undefined;
    };
    const ids = names.filter(isReference).map((name) => idOf(name));
    return { objects: join(open.path, 'objects'), id: ids.find((id) => id !== undefined) };
  } finally {
    closeSync(open.fd);
  }
}

const isReference = (name: string): boolean =>
  name === 'HEAD' || (name.startsWith('refs/') && name.split('/').every((part) => part !== '' && part !== '.' && part !== '..'));

function opened(folder: string, url: string, missing: SourceFault): OpenFolder {
  let top: OpenFolder;
  try {
    top = openFolder(folder);
  } catch {
    throw missing;
  }
  const inside = folderIn(top, '.git');
  if (inside) {
    closeSync(top.fd);
    return inside;
  }
  if (textIn(top, ['.git']) === undefined) return top;
  closeSync(top.fd);
  throw new SourceFault(
    `${url} is a worktree or a submodule, whose repository is elsewhere`,
    'use the path of the repository itself',
  );
}

/** Returns undefined if no folder has this name. A link does not count as a folder. */
function folderIn(folder: OpenFolder, name: string): OpenFolder | undefined {
  try {
    return openFolderIn(folder, name);
  } catch {
    return undefined;
  }
}

/**
 * Returns a text below a folder. Returns undefined if the file does not exist, a link is in its path, or it is too
 * large.
 */
function textIn(folder: OpenFolder, way: readonly string[]): string | undefined {
  const [name = '', ...rest] = way;
  if (rest.length > 0) {
    const below = folderIn(folder, name);
    if (!below) return undefined;
    try {
      return textIn(below, rest);
    } finally {
      closeSync(below.fd);
    }
  }
  let fd: number;
  try {
    fd = openIn(folder, name);
  } catch {
    return undefined;
  }
  try {
    const { mode, size } = fstatSync(fd);
    return (mode & constants.S_IFMT) === constants.S_IFREG && size <= MOST_BYTES ? readFileSync(fd, 'utf8') : undefined;
  } finally {
    closeSync(fd);
  }
}

function packedIn(text = ''): Map<string, string> {
  const rows = text.split('\n').map((row) => row.split(' '));
  return new Map(rows.flatMap(([id = '', name]): [string, string][] => (name !== undefined && ID.test(id) ? [[name, id]] : [])));
}

/**
 * Rejects objects that are stored elsewhere.
 *
 * @throws SourceFault
 */
function refuseForeign(objects: OpenFolder, url: string): void {
  const elsewhere = (why: string) => new SourceFault(`${url} ${why}`, 'clone it again, without --shared or --reference');
  let files = 0;
  for (const entry of readdirSync(pathIn(objects, '.'), { withFileTypes: true })) {
    if (!entry.isDirectory()) {
      if (entry.isFile()) continue;
      throw elsewhere(`has something else than objects: objects/${entry.name}`);
    }
    const below = openFolderIn(objects, entry.name);
    try {
      for (const one of readdirSync(pathIn(below, '.'), { withFileTypes: true })) {
        files += 1;
        if (files > MOST_FILES) throw new SourceFault(`${url} has more than 500,000 files of objects`, `git -C ${url} gc`);
        if (entry.name === 'info' && /alternates$/.test(one.name)) throw elsewhere('borrows objects of another repository');
        const isChain = entry.name === 'info' && one.name === 'commit-graphs';
        if (!one.isFile() && !isChain) throw elsewhere(`has something else than objects: objects/${entry.name}/${one.name}`);
      }
    } finally {
      closeSync(below.fd);
    }
  }
}
