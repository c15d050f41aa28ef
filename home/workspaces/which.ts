import { inputError } from '../../core/errors.js';
import { NAME, NAME_RULE } from '../../core/names.js';
import type { Home } from '../home.js';
import { isOwn, workspaceFileIn, workspaceFoldersAbove } from './folders.js';
import { activeName, allRegistered, findRegisteredWorkspace, type RegisteredWorkspace } from './registry.js';

/** What a workspace was chosen by, the first of these that says one. */
export type ChosenBy = 'option' | 'environment' | 'folder' | 'context' | 'active' | 'default';

/** The workspace that a command acts in. */
export interface ChosenWorkspace {
  name: string;
  by: ChosenBy;
  /** Where it is registered on this machine. */
  registered?: RegisteredWorkspace;
}

/** From where it is asked. */
export interface Asking {
  home: Home;
  env: NodeJS.ProcessEnv;
  /** The current folder. */
  cwd: string;
  /** The workspace of the active context, if it has one. */
  contextWorkspace?: string | undefined;
}

/** The workspace of who has chosen none. */
const DEFAULT_WORKSPACE = 'default';

/**
 * The workspace to act in: the one that is named, else `PROVISIONING_WORKSPACE`, else that of the nearest
 * `provisioning.yaml` above the current folder, else that of the active context, else the active one, else `default`.
 *
 * A folder says nothing until somebody registered it: its file came from whoever wrote it, and the name in it would
 * open the secrets and servers of the workspace that has this name here.
 *
 * @throws inputError `workspace-name`, `workspace-not-registered`, `workspace-folder-gone`
 */
export function chooseWorkspace(asking: Asking, named?: string): ChosenWorkspace {
  const { home, env, cwd } = asking;
  if (named !== undefined) return chosen(home, named, 'option');
  if (env.PROVISIONING_WORKSPACE) return chosen(home, env.PROVISIONING_WORKSPACE, 'environment');
  const above = folderAbove(home, cwd);
  if (above && !above.workspace) throw createUnregisteredError(above.folder);
  if (above?.workspace) return { name: above.workspace.name, by: 'folder', registered: above.workspace };
  if (asking.contextWorkspace !== undefined) return chosen(home, asking.contextWorkspace, 'context');
  const active = activeName(home);
  if (active === undefined) return { name: DEFAULT_WORKSPACE, by: 'default' };
  const choice = chosen(home, active, 'active');
  if (!choice.registered) throw gone(active, 'is not registered any more');
  // Its folder may hold configuration: without it other things would be done than were meant.
  if (workspaceFileIn(choice.registered.folder) === undefined) throw gone(active, `is not in ${choice.registered.folder} any more`);
  return choice;
}

/** The workspace of a program, which has no folder: the one that it names, else `PROVISIONING_WORKSPACE`, else `default`. @throws inputError `workspace-name` */
export const workspaceOf = (env: NodeJS.ProcessEnv, named?: string): string =>
  checkWorkspaceName(named ?? (env.PROVISIONING_WORKSPACE || DEFAULT_WORKSPACE));

/** The nearest folder of a workspace, and the workspace if it is registered. */
export function folderAbove(home: Home, from: string): { folder: string; workspace?: RegisteredWorkspace } | undefined {
  let all: RegisteredWorkspace[] | undefined;
  for (const folder of workspaceFoldersAbove(from)) {
    all ??= allRegistered(home);
    const workspace = all.find((one) => one.folder === folder);
    if (workspace) return { folder, workspace };
    if (isOwn(folder)) return { folder };
  }
  return undefined;
}

/** @throws inputError `workspace-name` */
export function checkWorkspaceName(name: string): string {
  if (NAME.test(name)) return name;
  throw inputError({ code: 'workspace-name', what: 'choose the workspace', on: name, why: `use ${NAME_RULE}` });
}

function chosen(home: Home, name: string, by: ChosenBy): ChosenWorkspace {
  const found = findRegisteredWorkspace(home, checkWorkspaceName(name));
  return { name, by, ...(found && { registered: found }) };
}

/** Of a folder whose file nobody has vouched for. */
export const createUnregisteredError = (folder: string) =>
  inputError({
    code: 'workspace-not-registered',
    what: 'choose the workspace',
    on: folder,
    why: 'this folder is a workspace that is not registered on this machine',
    hint: `if you trust it: provisioning workspace register ${folder}`,
  });

const gone = (name: string, why: string) =>
  inputError({
    code: 'workspace-folder-gone',
    what: 'choose the workspace',
    on: name,
    why: `it is the active workspace, and ${why}`,
    hint: `if it was moved, run provisioning workspace register FOLDER; otherwise provisioning workspace remove ${name}`,
  });
