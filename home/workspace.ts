import { inputError } from '../core/errors.js';
import { NAME, NAME_RULE } from '../core/names.js';

/**
 * The workspace to act in: the one that is named, else `PROVISIONING_WORKSPACE`, else `default`.
 *
 * @throws inputError `workspace-name`
 */
export function workspaceOf(env: NodeJS.ProcessEnv, named?: string): string {
  const workspace = named ?? (env.PROVISIONING_WORKSPACE || 'default');
  if (NAME.test(workspace)) return workspace;
  throw inputError({ code: 'workspace-name', what: 'choose the workspace', on: workspace, why: `use ${NAME_RULE}` });
}
