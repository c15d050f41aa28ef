import { stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { WORKSPACE_FILES } from '../../core/names.js';

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
