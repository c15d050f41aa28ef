import { askSecrets } from '../../client/ask-secrets.js';
import { ProvisioningError } from '../../core/errors.js';
import { isGenerated } from '../../core/taskserv/secret-reach.js';
import type { RegisteredWorkspace } from '../../home/workspaces/registry.js';
import { renameWorkspace as rename } from '../../settings/workspaces/rename-workspace.js';
import type { Context } from '../context.js';

/**
 * Renames a workspace in its file and on this machine, unless the engine has infras or secrets of it.
 *
 * @throws inputError `workspace-in-use`, `workspace-name`, `workspace-name-taken`
 */
export const renameWorkspace = (context: Context, from: RegisteredWorkspace, to: string): Promise<RegisteredWorkspace> =>
  rename(context.home, from, to, async () => ({
    infras: await infrasOf(context, from.name),
    secrets: await listOwnSecrets(context, from.name),
  }));

/** Lists the secrets that users have set for the workspace and its infras. */
async function listOwnSecrets(context: Context, workspace: string): Promise<string[]> {
  const listed = await askSecrets(context, (secrets) => secrets.list({ workspace }));
  const isOwn = ({ name, scope }: (typeof listed)[number]) => (scope === 'workspace' || scope === 'infra') && !isGenerated(name);
  return listed.filter(isOwn).map(({ name }) => name);
}

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
