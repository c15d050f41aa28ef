import { problemText } from '../../definition/source/problem.js';
import { readWorkspaceFile } from '../../definition/source/workspace-file.js';
import { workspaceFileIn } from '../../home/workspaces/folders.js';
import type { RegisteredWorkspace } from '../../home/workspaces/registry.js';

/** Reason why a registered workspace cannot be used, with a remedy; undefined if it can. */
export interface WorkspaceTrouble {
  why: string;
  hint: string;
}

/** Checks the present folder of a workspace. */
export async function findTrouble({ name, folder }: RegisteredWorkspace): Promise<WorkspaceTrouble | undefined> {
  const path = workspaceFileIn(folder);
  const whereItIs = `provisioning workspace register FOLDER where it was moved, or provisioning workspace remove ${name}`;
  if (path === undefined) return { why: `${folder} is gone, or has no provisioning.yaml`, hint: whereItIs };
  const read = await readWorkspaceFile(path);
  if ('problems' in read) {
    const [first] = read.problems;
    return { why: first ? problemText(first) : `${path} cannot be read`, hint: 'provisioning workspace doctor shows all problems' };
  }
  if (read.file.name === name) return undefined;
  return {
    why: `${path} has the name "${read.file.name}"`,
    hint: `write "name: ${name}" into it, or run provisioning workspace remove ${name} and provisioning workspace register ${folder}`,
  };
}
