import { realpath } from 'node:fs/promises';
import { dirname } from 'node:path';
import { inputError } from '../../core/errors.js';
import { createUnregisteredError, folderAbove } from '../../home/workspaces/which.js';
import type { Context } from '../context.js';

/**
 * Rejects a file of one workspace in a command that acts in another, unless the user named that workspace. Otherwise
 * its servers would be created in the other workspace, with the other's secrets.
 *
 * @throws inputError `other-workspace`, `workspace-not-registered`
 */
export async function refuseOtherWorkspace({ home, chosen }: Context, file: string): Promise<void> {
  if (!chosen || chosen.by === 'option') return;
  const path = await realpath(file).catch(() => undefined);
  // The reader of the file reports a missing file.
  if (path === undefined) return;
  const above = folderAbove(home, dirname(path));
  if (!above || above.workspace?.name === chosen.name) return;
  if (!above.workspace) throw createUnregisteredError(above.folder);
  const { name, folder } = above.workspace;
  throw inputError({
    code: 'other-workspace',
    what: 'read the definition',
    on: file,
    why: `it belongs to the workspace "${name}", and this command acts in "${chosen.name}"`,
    hint: `add --workspace ${name}, or run it in ${folder}`,
  });
}
