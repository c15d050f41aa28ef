import { inputError } from '../../core/errors.js';
import { problemText } from '../../definition/source/problem.js';
import { readWorkspaceFile } from '../../definition/source/workspace-file.js';
import { activeName, findRegisteredWorkspace, unregister } from '../../home/workspaces/registry.js';
import { checkWorkspaceName } from '../../home/workspaces/which.js';
import { findTrouble } from '../../settings/workspaces/find-trouble.js';
import { folderAt, registerFolder } from '../../settings/workspaces/register-folder.js';
import { renameWorkspace } from '../../settings/workspaces/rename-workspace.js';
import type { Engine } from '../engine.js';
import { homeOfEngine } from '../home-of-engine.js';
import { queryInfras } from '../infra/entity.js';
import { requireSecretStore } from '../secret/chosen-secret.js';
import { requireRegisteredWorkspace } from './registered-workspace.js';

/** A workspace that has infras, or a folder on this machine. @throws inputError `unknown-workspace`, `workspace-name` */
export async function showWorkspace(engine: Engine, name: string) {
  const { home } = homeOfEngine(engine);
  const [here, infras] = [findRegisteredWorkspace(home, checkWorkspaceName(name)), await queryInfras(engine, name)];
  // Refused with the nearest name.
  if (!here && infras.length === 0) requireRegisteredWorkspace(home, name);
  const trouble = here && (await findTrouble(here));
  return {
    ...{ name, infras, active: activeName(home) === name },
    ...(here && { folder: here.folder, lastUsed: here.lastUsed }),
    ...(trouble && { trouble }),
  };
}

/**
 * Registers a folder of this machine as the workspace that its file names.
 *
 * @param name the name that the file must have, since the right to register belongs to this workspace
 * @throws inputError `not-a-workspace`, `bad-definition`, `workspace-name`, `workspace-name-taken`,
 * `workspace-folder-registered`
 */
export async function registerAs(engine: Engine, name: string, path: string) {
  const { home } = homeOfEngine(engine);
  const { folder, file } = await folderAt(path);
  const read = await readWorkspaceFile(file);
  const what = 'register the workspace';
  if ('problems' in read) {
    const [first] = read.problems;
    const why = first ? problemText(first) : 'the file cannot be read';
    throw inputError({ code: 'bad-definition', what, on: file, why });
  }
  if (read.file.name !== name)
    throw inputError({ code: 'workspace-name', what, on: name, why: `${file} has the name "${read.file.name}"` });
  return registerFolder(home, name, folder);
}

/** @throws inputError `unknown-workspace`, `workspace-in-use`, `workspace-name`, `workspace-name-taken` */
export async function renameTo(engine: Engine, name: string, to: string) {
  const { home } = homeOfEngine(engine);
  return renameWorkspace(home, requireRegisteredWorkspace(home, name), to, async () => ({
    infras: await queryInfras(engine, name),
    secrets: (await requireSecretStore(engine).listScoped(name)).map((one) => one.name),
  }));
}

/** Unregisters a workspace; its folder, servers and secrets stay. @throws inputError `unknown-workspace` */
export async function unregisterWorkspace(engine: Engine, name: string) {
  const { home } = homeOfEngine(engine);
  const { folder } = requireRegisteredWorkspace(home, name);
  unregister(home, name);
  return { name, folder };
}
