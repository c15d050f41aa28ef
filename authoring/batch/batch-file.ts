import { type BatchPlan, type LoadedBatch, loadBatch } from '../../definition/batch/load-batch.js';
import { problemText } from '../../definition/source/problem.js';
import { rememberSources } from '../bundle/keep-bundle.js';
import type { Context } from '../context.js';
import { DefinitionError } from '../definition/definition-error.js';
import { type InputFlags, inputOfBatch } from '../definition/definitions.js';
import { languageFolders } from '../definition/language-folders.js';
import { GIVEN_KINDS } from '../given/kinds.js';
import { resolveExternalValues } from '../given/with-given.js';
import { registriesFor, textsOfModules } from '../modules/registries.js';
import { keepEnvironmentSecrets } from '../secrets/keep-environment.js';
import { readSecretNames } from '../secrets/secret-names.js';
import { sourceResolver } from '../sources/resolve-sources.js';
import { refuseOtherWorkspace } from '../workspaces/other-workspace.js';

/** Result of reading a batch file without problems. */
export type ReadBatch = Pick<Extract<LoadedBatch, { plan: BatchPlan }>, 'plan' | 'reads'>;

/**
 * Reads a batch file and the definitions that it names.
 *
 * @throws DefinitionError with every problem in the file and its definitions
 */
export async function batchFrom(
  context: Context,
  file: string,
  flags: Pick<InputFlags, 'env' | 'var' | 'varFile'> = {},
): Promise<ReadBatch> {
  await refuseOtherWorkspace(context, file);
  const [found, secretNames, folders] = await Promise.all([
    registriesFor(context, file),
    readSecretNames(context),
    languageFolders(context),
  ]);
  const { plan, reads, warnings, problems } = await loadBatch(file, {
    workspace: context.workspace,
    registries: found,
    secretNames,
    input: inputOfBatch(context, flags),
    // The variable PROVISIONING_ENV has no effect: the files of an environment are not read here.
    environment: flags.env,
    referenceKinds: GIVEN_KINDS,
    closed: [context.home.root],
    sources: sourceResolver(context),
    folders,
  });
  if (!plan) throw new DefinitionError(file, problems, 'batch');
  for (const warning of [...(warnings ?? []), ...secretNames.warningsFor(file)]) context.note(`warning: ${problemText(warning)}`);
  for (const [main, { definition, source }] of reads) {
    if (!definition) continue;
    rememberSources(definition, { main, texts: [...(source.texts ?? []), ...(await textsOfModules(definition, found.own))] });
  }
  return { plan, reads };
}

/**
 * Stores the secrets of all definitions in the batch, as for a single definition. The worker has a different
 * environment and cannot read files beside the batch file.
 */
export async function keepBatchSecrets(context: Context, { plan, reads }: ReadBatch): Promise<BatchPlan> {
  const definitions: BatchPlan['definitions'] = {};
  for (const [file, definition] of Object.entries(plan.definitions)) {
    const read = reads.get(file);
    definitions[file] = read?.definition ? await resolveExternalValues(context, read) : definition;
    await keepEnvironmentSecrets(context, definitions[file]);
  }
  return { ...plan, definitions };
}
