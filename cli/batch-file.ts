import { type BatchPlan, loadBatch } from '../definition/batch/load-batch.js';
import { secretNamesOf } from '../secrets/infra-secrets.js';
import { keepEnvironmentSecrets, registries, withSecrets } from './definition-file.js';
import { DefinitionError } from './failure.js';
import type { Session } from './session.js';

/** @throws DefinitionError with every problem of the file and of the definitions it names */
export async function batchFrom(session: Session, file: string): Promise<BatchPlan> {
  const [found, secretNames] = await Promise.all([
    registries(),
    withSecrets(session, (secrets) => secretNamesOf(secrets, session.workspace, session.env)),
  ]);
  const { plan, problems } = await loadBatch(file, { workspace: session.workspace, registries: found, secretNames });
  if (!plan) throw new DefinitionError(file, problems, 'batch');
  return plan;
}

/** As for a definition: the worker has another environment. */
export async function keepSecretsOf(session: Session, { definitions }: BatchPlan): Promise<void> {
  for (const definition of Object.values(definitions)) await keepEnvironmentSecrets(session, definition);
}
