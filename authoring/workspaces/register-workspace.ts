import { readWorkspaceFile } from '../../definition/source/workspace-file.js';
import type { Home } from '../../home/home.js';
import type { RegisteredWorkspace } from '../../home/workspaces/registry.js';
import { folderAt, registerFolder } from '../../settings/workspaces/register-folder.js';
import { DefinitionError } from '../definition/definition-error.js';

/**
 * Registers a folder under the name in its file. A moved folder is registered at its new path.
 *
 * @returns the previous folder, if it was moved
 * @throws inputError `not-a-workspace`, `bad-definition`, `workspace-name-taken`, `workspace-folder-registered`
 */
export async function registerWorkspace(home: Home, path: string): Promise<RegisteredWorkspace & { movedFrom?: string }> {
  const { folder, file } = await folderAt(path);
  const read = await readWorkspaceFile(file);
  if ('problems' in read) throw new DefinitionError(file, read.problems, 'workspace');
  return registerFolder(home, read.file.name, folder);
}
