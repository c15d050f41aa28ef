import { stat } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { workspaceFolder } from '../../definition/layers/workspace-folder.js';
import { formats } from '../../definition/source/formats.js';
import { readSource } from '../../definition/source/read-source.js';
import { isRecord } from '../../definition/source/salvage.js';

/** Folder of a workspace with its definitions, as `workspace init` creates it. */
const INFRA_FOLDER = 'infra';

/**
 * Returns the folder for definitions: `infra/` of the workspace if it has one, otherwise the workspace's own folder.
 * Outside of a workspace, both are those of the current folder.
 *
 * @param cwd absolute: the folder of the workspace, or a folder in it
 */
export async function definitionFolder(cwd: string): Promise<string> {
  const { folder } = await workspaceFolder(join(cwd, 'definition'));
  const own = join(folder, INFRA_FOLDER);
  const isFolder = await stat(own).then(
    (found) => found.isDirectory(),
    () => false,
  );
  return isFolder ? own : folder;
}

/**
 * Returns the definition file of an infra in the folder for definitions: a data file with the name of the infra, which
 * describes this infra. Programs are not searched, because they run only if a command names them.
 *
 * @param cwd absolute: the folder of the workspace, or a folder in it
 */
export async function findDefinitionFile(infra: string, cwd: string): Promise<string | undefined> {
  const folder = await definitionFolder(cwd);
  const { folder: within } = await workspaceFolder(join(cwd, 'definition'));
  for (const kind of Object.keys(formats)) {
    const source = await readSource(join(folder, `${infra}${kind}`), '', within);
    if (!('message' in source) && isRecord(source.value) && source.value.infra === infra) return relative('', source.file);
  }
  return undefined;
}
