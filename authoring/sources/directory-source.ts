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

/** Where a directory lies, and what is taken of it. */
export interface DirectorySource {
  /** A path without links. */
  folder: string;
  /** The folder of the workspace. */
  root: string;
  /** The folder of the state of provisioning: nothing is taken of that. */
  state?: string;
  /** Whether the user lists a file by its path, so that it is taken although it looks like credentials. */
  isNamed?(path: string): boolean;
}

/**
 * What a directory has, as a tar archive that is the same for the same files, without what `.gitignore` files name. Git is
 * not asked: in a repository that a stranger wrote it would run what the stranger wants.
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

/** @throws SourceFault for what would be unpacked, or would lead, out of the folder of the release */
export function refuseOutside(entries: Parameters<typeof archiveFault>[0]): void {
  const fault = archiveFault(entries);
  if (!fault) return;
  const helps = fault.why.includes('a link') ? 'put what it names into the source' : undefined;
  throw new SourceFault(`${clipText(fault.path, 200)}: ${clipText(fault.why, 400)}`, helps);
}
