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
 * The folder that a named file has to lie in: a stranger's link leads to any file of this machine, which a command would show
 * and `fmt` would write. It is the workspace, else the current folder if the name begins there: a folder in it
 * may be a link as well.
 */
export async function folderAround(path: string): Promise<string> {
  const { folder, isMarked } = await workspaceFolder(path);
  return !isMarked && isInside(folder, process.cwd()) ? process.cwd() : folder;
}
