import { ProvisioningError } from '../../core/errors.js';
import type { RegisteredWorkspace } from '../../home/workspaces/registry.js';
import { renameWorkspace as rename } from '../../settings/workspaces/rename-workspace.js';
import type { Context } from '../context.js';
import { useSecrets } from '../definition/definitions.js';

/**
 * Gives a workspace another name, in its file and here, unless the engine has infras or secrets of it.
 *
 * @throws inputError `workspace-in-use`, `workspace-name`, `workspace-name-taken`
 */
export const renameWorkspace = (context: Context, from: RegisteredWorkspace, to: string): Promise<RegisteredWorkspace> =>
  rename(context.home, from, to, async () => ({
    infras: await infrasOf(context, from.name),
    secrets: await useSecrets(context, async (store) => (await store.listScoped(from.name)).map(({ name }) => name)),
  }));

async function infrasOf(context: Context, workspace: string): Promise<string[]> {
  try {
    return await (await context.client()).infras.list({ workspace });
  } catch (error) {
    if (!(error instanceof ProvisioningError)) throw error;
    throw new ProvisioningError({
      ...error.details,
      what: 'rename the workspace',
      on: workspace,
      why: `cannot tell whether the workspace has infras: ${error.details.why}`,
    });
  }
}
