import { closeSync, statSync } from 'node:fs';
import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { archiveFault } from '../../core/host/archive-links.js';
import { clipText } from '../../core/text.js';
import { openFolder } from '../../definition/source/beneath.js';
import { IgnoreFiles } from './directory/ignore-files.js';
import { packTar } from './directory/tar.js';
import { Walk } from './directory/walk.js';
import { SourceFault } from './source-fault.js';

/** Location of a directory and the selection of its files. */
export interface DirectorySource {
  /** A path without links. */
  folder: string;
  /** The folder of the workspace. */
  root: string;
  /** State folder of provisioning, which is always excluded. */
  state?: string;
  /** Returns whether the user lists a file by path. It is then included although it looks like credentials. */
  isNamed?(path: string): boolean;
}

/**
 * Returns the directory as a tar archive, which is identical for identical files. Files that `.gitignore` excludes are
 * left out. Git is not used: in an untrusted repository it could run arbitrary commands.
 *
 * @throws SourceFault
 */
export async function archiveOfDirectory({ folder, root, state, isNamed }: DirectorySource): Promise<Buffer> {
  const there = await lstat(folder).catch(() => undefined);
  if (!there?.isDirectory()) throw new SourceFault(there ? 'it is not a directory' : 'there is no such directory');
  const ignores = new IgnoreFiles();
  const kept = state === undefined ? undefined : statSync(state, { throwIfNoEntry: false });
  const walk = new Walk(ignores, {
    ...(kept && { state: kept }),
    isNamed: (path) => isNamed?.(join(folder, path)) ?? false,
  });
  const top = openFolder(folder);
  try {
    const files = [...walk.take(top, ignores.above(folder, root))].sort((a, b) => Buffer.compare(a.path, b.path));
    if (files.length === 0) throw new SourceFault('it has no files');
    refuseOutside(files.map(({ path, content, isLink }) => ({ path: String(path), ...(isLink && { target: String(content) }) })));
    return packTar(files);
  } finally {
    closeSync(top.fd);
  }
}

/**
 * Rejects entries that would be unpacked to, or link to, a place outside the release folder.
 *
 * @throws SourceFault
 */
export function refuseOutside(entries: Parameters<typeof archiveFault>[0]): void {
  const fault = archiveFault(entries);
  if (!fault) return;
  const helps = fault.why.includes('a link') ? 'put what it names into the source' : undefined;
  throw new SourceFault(`${clipText(fault.path, 200)}: ${clipText(fault.why, 400)}`, helps);
}
