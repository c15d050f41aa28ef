import { readWorkspaceFile } from '../../definition/source/workspace-file.js';
import type { Home } from '../../home/home.js';
import type { RegisteredWorkspace } from '../../home/workspaces/registry.js';
import { folderAt, registerFolder } from '../../settings/workspaces/register-folder.js';
import { DefinitionError } from '../definition/definition-error.js';

/**
 * Registers a folder by the name that its file says. One that was moved is registered where it is now.
 *
 * @returns the folder in which it was before, where it was moved
 * @throws inputError `not-a-workspace`, `bad-definition`, `workspace-name-taken`, `workspace-folder-registered`
 */
export async function registerWorkspace(home: Home, path: string): Promise<RegisteredWorkspace & { movedFrom?: string }> {
  const { folder, file } = await folderAt(path);
  const read = await readWorkspaceFile(file);
  if ('problems' in read) throw new DefinitionError(file, read.problems, 'workspace');
  return registerFolder(home, read.file.name, folder);
}
