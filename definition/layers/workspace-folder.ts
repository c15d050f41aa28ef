import { stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';

/** What marks the folder of a workspace. */
const MARK = 'provisioning.yaml';

/** The folder that a definition belongs to: the nearest one above it with a `provisioning.yaml`, else its own. */
export async function workspaceFolder(definition: string): Promise<string> {
  const own = dirname(resolve(definition));
  for (let folder = own; ; folder = dirname(folder)) {
    const marked = await stat(join(folder, MARK)).then(
      (found) => found.isFile(),
      () => false,
    );
    if (marked) return folder;
    if (folder === dirname(folder)) return own;
  }
}
