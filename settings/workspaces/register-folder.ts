import { realpath } from 'node:fs/promises';
import { resolve } from 'node:path';
import { inputError } from '../../core/errors.js';
import { isTestWorkspace } from '../../core/names.js';
import type { Home } from '../../home/home.js';
import { workspaceFileIn } from '../../home/workspaces/folders.js';
import {
  allRegistered,
  findRegisteredWorkspace,
  type RegisteredWorkspace,
  register,
  registerMoved,
} from '../../home/workspaces/registry.js';
import { findTrouble } from './find-trouble.js';

const WHAT = 'register the workspace';

/** Returns the folder without links, and the file that makes it a workspace. @throws inputError `not-a-workspace` */
export async function folderAt(path: string): Promise<{ folder: string; file: string }> {
  const folder = await realpath(resolve(path)).catch(() => resolve(path));
  const file = workspaceFileIn(folder);
  if (file !== undefined) return { folder, file };
  throw inputError({
    code: 'not-a-workspace',
    what: WHAT,
    on: folder,
    why: 'the folder has no provisioning.yaml',
    hint: 'create a workspace with provisioning workspace init NAME; or turn a folder into a workspace: add provisioning.yaml with "name: NAME"',
  });
}

/**
 * Registers a folder by the name in its file. A moved folder gets its new path.
 *
 * @param folder without links
 * @returns the former folder if it was moved
 * @throws inputError `workspace-name`, `workspace-name-taken`, `workspace-folder-registered`
 */
export async function registerFolder(
  home: Home,
  name: string,
  folder: string,
): Promise<RegisteredWorkspace & { movedFrom?: string }> {
  const before = findRegisteredWorkspace(home, name);
  if (before?.folder === folder) return before;
  if (before && !(await isElsewhereStill(before))) {
    refuseOtherName(home, name, folder);
    registerMoved(home, name, folder);
    return { ...(findRegisteredWorkspace(home, name) as RegisteredWorkspace), movedFrom: before.folder };
  }
  return addWorkspace(home, name, folder);
}

/** Registers a folder under an unused name. */
export async function addWorkspace(home: Home, name: string, path: string): Promise<RegisteredWorkspace> {
  const folder = await realpath(path);
  refuseOtherName(home, name, folder);
  if (!register(home, name, folder)) refuseTaken(home, name);
  return findRegisteredWorkspace(home, name) as RegisteredWorkspace;
}

/** @throws inputError `workspace-name-taken` */
export function refuseTaken(home: Home, name: string): void {
  if (isTestWorkspace(name)) {
    const why = 'names with this beginning are reserved for test environments';
    throw inputError({ code: 'workspace-name', what: WHAT, on: name, why });
  }
  const other = findRegisteredWorkspace(home, name);
  if (!other) return;
  throw inputError({
    code: 'workspace-name-taken',
    what: WHAT,
    on: name,
    why: `${other.folder} is registered under this name`,
    hint: `choose another name, or provisioning workspace remove ${name}: its files stay`,
  });
}

function refuseOtherName(home: Home, name: string, folder: string): void {
  const other = allRegistered(home).find((one) => one.folder === folder && one.name !== name);
  if (!other) return;
  throw inputError({
    code: 'workspace-folder-registered',
    what: WHAT,
    on: folder,
    why: `the folder is registered as "${other.name}", but its file has the name "${name}"`,
    hint: `write "name: ${other.name}" into the file, or run provisioning workspace remove ${other.name} first`,
  });
}

/** Reports whether the registered folder is still the workspace. */
const isElsewhereStill = async (before: RegisteredWorkspace): Promise<boolean> => (await findTrouble(before)) === undefined;
