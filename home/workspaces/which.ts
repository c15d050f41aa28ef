import { inputError } from '../../core/errors.js';
import { NAME, NAME_RULE } from '../../core/names.js';
import type { Home } from '../home.js';
import { isOwn, workspaceFileIn, workspaceFoldersAbove } from './folders.js';
import { activeName, allRegistered, findRegisteredWorkspace, type RegisteredWorkspace } from './registry.js';

/** Source of the chosen workspace, by precedence. */
export type ChosenBy = 'option' | 'environment' | 'folder' | 'context' | 'active' | 'default';

/** Workspace in which a command acts. */
export interface ChosenWorkspace {
  name: string;
  by: ChosenBy;
  /** Its registration on this machine, if there is one. */
  registered?: RegisteredWorkspace;
}

/** Context of the choice. */
export interface WorkspaceQuery {
  home: Home;
  env: NodeJS.ProcessEnv;
  /** Current folder. */
  cwd: string;
  /** Workspace of the active context, if it has one. */
  contextWorkspace?: string | undefined;
}

/** Workspace if none is chosen. */
const DEFAULT_WORKSPACE = 'default';

/**
 * Chooses the workspace by the first of these that exists: the named one; `PROVISIONING_WORKSPACE`; the nearest
 * `provisioning.yaml` above the current folder; the active context; the active workspace; `default`.
 *
 * A folder counts only after registration. Its file may be untrusted, and its name would give access to secrets and
 * servers of the local workspace with this name.
 *
 * @throws inputError `workspace-name`, `workspace-not-registered`, `workspace-folder-gone`
 */
export function chooseWorkspace(asking: WorkspaceQuery, named?: string): ChosenWorkspace {
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
  // Its folder may contain configuration, without which commands would act differently.
  if (workspaceFileIn(choice.registered.folder) === undefined) throw gone(active, `is not in ${choice.registered.folder} any more`);
  return choice;
}

/**
 * Returns the workspace of a program without a folder: the named one, or else `PROVISIONING_WORKSPACE`, or else
 * `default`.
 *
 * @throws inputError `workspace-name`
 */
export const workspaceOf = (env: NodeJS.ProcessEnv, named?: string): string =>
  checkWorkspaceName(named ?? (env.PROVISIONING_WORKSPACE || DEFAULT_WORKSPACE));

/** Returns the nearest workspace folder, with its workspace if it is registered. */
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

/** Creates the error for a folder that the user has not registered. */
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
