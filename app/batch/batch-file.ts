import { type BatchPlan, loadBatch } from '../../definition/batch/load-batch.js';
import { secretNamesOf } from '../../secrets/infra-secrets.js';
import type { Context } from '../context.js';
import { DefinitionError } from '../definition/definition-error.js';
import { type InputFlags, inputOfBatch, keepEnvironmentSecrets, registries, withSecrets } from '../definition/definitions.js';
import { refuseOtherWorkspace } from '../workspaces/other-workspace.js';

/** @throws DefinitionError with every problem of the file and of the definitions it names */
export async function batchFrom(
  context: Context,
  file: string,
  flags: Pick<InputFlags, 'var' | 'varFile'> = {},
): Promise<BatchPlan> {
  await refuseOtherWorkspace(context, file);
  const [found, secretNames] = await Promise.all([
    registries(),
    withSecrets(context, (secrets) => secretNamesOf(secrets, context.workspace, context.env)),
  ]);
  const { plan, problems } = await loadBatch(file, {
    workspace: context.workspace,
    registries: found,
    secretNames,
    input: inputOfBatch(context, flags),
  });
  if (!plan) throw new DefinitionError(file, problems, 'batch');
  return plan;
}

/** As for a definition: the worker has another environment. */
export async function keepSecretsOf(context: Context, { definitions }: BatchPlan): Promise<void> {
  for (const definition of Object.values(definitions)) await keepEnvironmentSecrets(context, definition);
}
