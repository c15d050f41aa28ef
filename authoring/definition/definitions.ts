import type { Definition } from '../../core/definition/definition.js';
import type { DefinitionInput, VariableQuestion } from '../../definition/interpolation/interpolate.js';
import { type LoadedDefinition, type LoadOptions, type LockOptions, loadDefinition } from '../../definition/load-definition.js';
import { problemText } from '../../definition/source/problem.js';
import { rememberSources } from '../bundle/keep-bundle.js';
import type { Context } from '../context.js';
import { GIVEN_KINDS } from '../given/kinds.js';
import { registriesFor, textsOfModules } from '../modules/registries.js';
import { readSecretNames } from '../secrets/secret-names.js';
import { definitionSettings } from '../settings/definition-settings.js';
import { sourceResolver } from '../sources/resolve-sources.js';
import { refuseOtherWorkspace } from '../workspaces/other-workspace.js';
import { DefinitionError } from './definition-error.js';
import { languageFolders } from './language-folders.js';
import { readOtherInfra } from './other-infra.js';

/** Result of reading a definition file without problems. */
export type Read = Extract<LoadedDefinition, { definition: Definition }>;

/** Command-line flags for the inputs of a definition. */
export interface InputFlags {
  env?: string;
  var?: readonly string[];
  varFile?: readonly string[];
  frozenLock?: boolean;
  /** Taskserv that is being upgraded. Its entries in the lock file may be out of date. */
  renewed?: string;
  /** Text to read instead of the file's, as a change would write it. The file need not exist. */
  text?: string;
}

/** Returns the inputs of a definition from the command's flags and the environment of its process. */
export function inputOf(context: Context, flags: InputFlags): DefinitionInput {
  const { env, ask } = context;
  const environment = flags.env ?? (env.PROVISIONING_ENV || undefined);
  const question = ({ name, description, choices }: VariableQuestion) =>
    `${description ?? 'Value of the variable'} (${name}${choices ? `: ${choices.join(', ')}` : ''})`;
  const asking = ask && { ask: (variable: VariableQuestion) => ask(question(variable)) };
  return {
    environment,
    vars: flags.var,
    varFiles: flags.varFile,
    environ: env,
    otherInfra: (name) => readOtherInfra(context, name),
    settings: (infra) => definitionSettings(context, environment, infra),
    ...asking,
  };
}

/** Returns the inputs of a batch, whose definitions are read without the files of an environment. */
export function inputOfBatch(context: Context, flags: InputFlags): DefinitionInput {
  const { environment: _, ...input } = inputOf(context, flags);
  return input;
}

/**
 * Reads a definition file with all its problems.
 *
 * @throws inputError `other-workspace`
 */
export async function readDefinition(context: Context, file: string, flags: InputFlags = {}): Promise<LoadedDefinition> {
  await refuseOtherWorkspace(context, file);
  const lock: LockOptions = { frozen: flags.frozenLock, renewed: flags.renewed };
  return loadWith(
    context,
    (options) => loadDefinition(file, { ...options, input: inputOf(context, flags), lock, text: flags.text }),
    file,
  );
}

/**
 * Loads a definition with the taskservs and secrets of a context. Texts of the workspace's own taskservs are added to
 * its source.
 *
 * @param file by which the workspace's own taskservs are found; default: the folder of the context
 */
export async function loadWith(
  context: Context,
  load: (options: LoadOptions) => Promise<LoadedDefinition>,
  file?: string,
): Promise<LoadedDefinition> {
  const [found, secretNames, folders] = await Promise.all([
    registriesFor(context, file),
    readSecretNames(context),
    languageFolders(context),
  ]);
  const loaded = await load({
    workspace: context.workspace,
    registries: found,
    secretNames,
    referenceKinds: GIVEN_KINDS,
    closed: [context.home.root],
    sources: sourceResolver(context),
    folders,
    ...(context.monthlyCost ? { cost: context.monthlyCost.bind(context) } : {}),
  }).catch((error: unknown): LoadedDefinition => {
    // A workspace taskserv that cannot be loaded is a problem of the definition that uses it.
    if (error instanceof DefinitionError) return { problems: error.problems };
    throw error;
  });
  if (!loaded.definition) return loaded;
  const unchecked = secretNames.warningsFor(loaded.source.file);
  const read = unchecked.length > 0 ? { ...loaded, warnings: [...(loaded.warnings ?? []), ...unchecked] } : loaded;
  if (found.own.size === 0) return read;
  const texts = [...(read.source.texts ?? []), ...(await textsOfModules(read.definition, found.own))];
  return { ...read, source: { ...read.source, texts } };
}

/**
 * Returns a definition and its source.
 *
 * @throws DefinitionError with every problem of the file
 */
export async function sourceFrom(context: Context, file: string, flags: InputFlags = {}): Promise<Read> {
  const loaded = await readDefinition(context, file, flags);
  if (!loaded.definition) throw new DefinitionError(file, loaded.problems);
  const { environment } = inputOf(context, flags);
  rememberSources(loaded.definition, { main: file, environment, texts: loaded.source.texts ?? [] });
  for (const warning of loaded.warnings ?? []) context.note(`warning: ${problemText(warning)}`);
  return loaded;
}

/**
 * Returns the definition of a file.
 *
 * @throws DefinitionError with every problem of the file
 */
export async function definitionFrom(context: Context, file: string, flags: InputFlags = {}): Promise<Definition> {
  return (await sourceFrom(context, file, flags)).definition;
}
