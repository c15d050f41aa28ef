import { inputError } from '../../core/errors.js';
import { LIMITS } from '../../core/limits.js';
import { readText } from '../../definition/source/read-text.js';
import type { Home } from '../../home/home.js';
import { workspaceFileIn } from '../../home/workspaces/folders.js';
import {
  activate,
  activeName,
  findRegisteredWorkspace,
  type RegisteredWorkspace,
  register,
  unregister,
} from '../../home/workspaces/registry.js';
import { checkWorkspaceName } from '../../home/workspaces/which.js';
import { editValue } from '../edit/edit-text.js';
import { writeWhole } from '../edit/write-file.js';
import { refuseTaken } from './register-folder.js';

const WHAT = 'rename the workspace';

/** Data that is stored under the name of a workspace. */
interface InUse {
  infras: readonly string[];
  secrets: readonly string[];
}

/**
 * Renames a workspace, in its file and in this home. Servers, secrets and operations are stored under the name, so a
 * workspace that has any cannot be renamed.
 *
 * @param inUse returns the data of the workspace
 * @throws inputError `workspace-in-use`, `workspace-name`, `workspace-name-taken`
 */
export async function renameWorkspace(
  home: Home,
  from: RegisteredWorkspace,
  to: string,
  inUse: () => Promise<InUse>,
): Promise<RegisteredWorkspace> {
  refuseTaken(home, checkWorkspaceName(to));
  refuseInUse(from.name, await inUse());
  if (!register(home, to, from.folder)) refuseTaken(home, to);
  try {
    const file = workspaceFileIn(from.folder);
    if (file !== undefined) {
      const text = await readText(file, LIMITS.settings, { within: from.folder });
      if (typeof text !== 'string')
        throw inputError({ code: 'workspace-name', what: 'rename the workspace', on: file, why: text.message });
      await writeWhole(file, await editValue(file, text, ['name'], to), 0o644, { within: from.folder });
    }
  } catch (error) {
    unregister(home, to);
    throw error;
  }
  const wasActive = activeName(home) === from.name;
  unregister(home, from.name);
  if (wasActive) activate(home, to);
  return findRegisteredWorkspace(home, to) as RegisteredWorkspace;
}

function refuseInUse(workspace: string, { infras, secrets }: InUse): void {
  const has = [
    ...(infras.length > 0 ? [`the infras ${infras.join(', ')}`] : []),
    ...(secrets.length > 0 ? [`the secrets ${[...new Set(secrets)].join(', ')}`] : []),
  ];
  if (has.length === 0) return;
  throw inputError({
    code: 'workspace-in-use',
    what: WHAT,
    on: workspace,
    why: `it has ${has.join(' and ')}, which are stored under its name`,
    hint: 'delete them first, or create another workspace',
  });
}
