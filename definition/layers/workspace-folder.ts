import { stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { WORKSPACE_FILES } from '../../core/names.js';
import { isInside } from '../source/is-inside.js';

/** The folder that a definition belongs to: the nearest one above it with a `provisioning.yaml`, else its own. */
export async function workspaceFolder(definition: string): Promise<{ folder: string; isMarked: boolean }> {
  const own = dirname(resolve(definition));
  for (let folder = own; ; folder = dirname(folder)) {
    for (const mark of WORKSPACE_FILES) {
      const isMarked = await stat(join(folder, mark)).then(
        (found) => found.isFile(),
        () => false,
      );
      if (isMarked) return { folder, isMarked };
    }
    if (folder === dirname(folder)) return { folder: own, isMarked: false };
  }
}

/**
 * Returns the folder that must contain a named file. A stranger's link could lead to any file of this machine, which a
 * command would show and `fmt` would write. The folder is the workspace. Without one it is the current folder if the
 * name begins there, because a folder in it may be a link, too.
 */
export async function folderAround(path: string): Promise<string> {
  const { folder, isMarked } = await workspaceFolder(path);
  return !isMarked && isInside(folder, process.cwd()) ? process.cwd() : folder;
}
