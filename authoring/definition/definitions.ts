import type { Definition } from '../../core/definition/definition.js';
import { findSecretRefs } from '../../core/taskserv/secret.js';
import { isGenerated } from '../../core/taskserv/secret-reach.js';
import type { Asked, DefinitionInput } from '../../definition/interpolation/interpolate.js';
import { type Loaded, type LoadOptions, type LockOptions, loadDefinition } from '../../definition/load-definition.js';
import { registries } from '../../definition/registries/registries.js';
import { problemText } from '../../definition/source/problem.js';
import { listSecretNames } from '../../secrets/infra-secrets.js';
import { accountsAmong, keepCredentials as keepFrom } from '../../secrets/keep-credentials.js';
import { resolveEnvironment } from '../../settings/settings.js';
import { openSecrets } from '../../stores/open-secrets.js';
import { environmentKey, type SecretStore } from '../../stores/secrets.js';
import { rememberSources } from '../bundle/keep-bundle.js';
import type { Context } from '../context.js';
import { GIVEN_KINDS } from '../given/kinds.js';
import { registriesFor, textsOfModules } from '../modules/registries.js';
import { definitionSettings } from '../settings/definition-settings.js';
import { sourceResolver } from '../sources/resolve-sources.js';
import { refuseOtherWorkspace } from '../workspaces/other-workspace.js';
import { DefinitionError } from './definition-error.js';
import { languageFolders } from './language-folders.js';
import { readOtherInfra } from './other-infra.js';

/** Uses the secrets of this set-up: the home's, or its team's. */
export async function useSecrets<T>({ home, env }: Context, use: (secrets: SecretStore) => Promise<T>): Promise<T> {
  const { secrets, close } = await openSecrets(home, await resolveEnvironment(home, env));
  return use(secrets).finally(close);
}

/** What was read of a definition file without problems. */
export type Read = Extract<Loaded, { definition: Definition }>;

/** How a command line says what a definition is given besides its file. */
export interface InputFlags {
  env?: string;
  var?: readonly string[];
  varFile?: readonly string[];
  frozenLock?: boolean;
  /** A taskserv that is brought to another version: what the lock file has of it may be of no use any more. */
  renewed?: string;
}

/** What a definition is given by a command and by the environment of its process. */
export function inputOf(context: Context, flags: InputFlags): DefinitionInput {
  const { env, ask } = context;
  const environment = flags.env ?? (env.PROVISIONING_ENV || undefined);
  const question = ({ name, description, choices }: Asked) =>
    `${description ?? 'Value of the variable'} (${name}${choices ? `: ${choices.join(', ')}` : ''})`;
  const asking = ask && { ask: (variable: Asked) => ask(question(variable)) };
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

/** The same for a batch, whose definitions have no environment. */
export function inputOfBatch(context: Context, flags: InputFlags): DefinitionInput {
  const { environment: _, ...input } = inputOf(context, flags);
  return input;
}

/**
 * Reads a definition file, with all that is wrong with it.
 *
 * @throws inputError `other-workspace`
 */
export async function readDefinition(context: Context, file: string, flags: InputFlags = {}): Promise<Loaded> {
  await refuseOtherWorkspace(context, file);
  const lock: LockOptions = { frozen: flags.frozenLock, renewed: flags.renewed };
  return loadWith(context, (options) => loadDefinition(file, { ...options, input: inputOf(context, flags), lock }), file);
}

/**
 * Loads a definition with the taskservs and secrets of a context; where taskservs are the workspace's own, their texts
 * are among those of its source.
 *
 * @param file by which the workspace's own are found; default: the folder of the context
 */
export async function loadWith(context: Context, load: (options: LoadOptions) => Promise<Loaded>, file?: string): Promise<Loaded> {
  const [found, secretNames, folders] = await Promise.all([
    registriesFor(context, file),
    useSecrets(context, (secrets) => listSecretNames(secrets, context.workspace, context.env)),
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
  }).catch((error: unknown): Loaded => {
    // A taskserv of the workspace that cannot be loaded is a problem of the definition that names it.
    if (error instanceof DefinitionError) return { problems: error.problems };
    throw error;
  });
  if (!loaded.definition || found.own.size === 0) return loaded;
  const texts = [...(loaded.source.texts ?? []), ...(await textsOfModules(loaded.definition, found.own))];
  return { ...loaded, source: { ...loaded.source, texts } };
}

/** A definition, and the source that it was read from. @throws DefinitionError with every problem of the file */
export async function sourceFrom(context: Context, file: string, flags: InputFlags = {}): Promise<Read> {
  const loaded = await readDefinition(context, file, flags);
  if (!loaded.definition) throw new DefinitionError(file, loaded.problems);
  const { environment } = inputOf(context, flags);
  rememberSources(loaded.definition, { main: file, environment, texts: loaded.source.texts ?? [] });
  for (const warning of loaded.warnings ?? []) context.note(`warning: ${problemText(warning)}`);
  return loaded;
}

/** @throws DefinitionError with every problem of the file */
export async function definitionFrom(context: Context, file: string, flags: InputFlags = {}): Promise<Definition> {
  return (await sourceFrom(context, file, flags)).definition;
}

/**
 * Keeps the secrets that a definition takes from this command's environment: the
 * worker that needs them, perhaps after a restart, has another one.
 */
export async function keepEnvironmentSecrets(context: Context, definition: Definition): Promise<void> {
  await keepCredentials(context, [...new Set(definition.servers.map(({ provider }) => provider))]);
  const given = new Set(findSecretRefs(definition).map((ref) => ref.name));
  const values = [...given].flatMap((name) => {
    if (isGenerated(name)) return [];
    const value = context.env[environmentKey(name)];
    return value === undefined ? [] : [{ name, value }];
  });
  if (values.length === 0) return;
  await useSecrets(context, async (secrets) => {
    const { workspace, infra } = definition;
    const scoped = await secrets.listScoped(workspace);
    for (const { name, value } of values) {
      // Where it would be found first; else, as by `secret set`, for the workspace.
      const narrow = scoped.some((one) => one.name === name && one.infra === infra);
      await secrets
        .within(narrow ? { workspace, infra } : { workspace })
        .set(name, value, { by: context.actor, how: 'environment' });
    }
  });
}

/**
 * Keeps the credentials that this command's environment holds, and says so.
 *
 * @param accounts as definitions name them; absent: those of which credentials are kept already
 */
export async function keepCredentials(context: Context, accounts?: readonly string[]): Promise<void> {
  await useSecrets(context, async (secrets) => {
    const named = accounts ?? accountsAmong(await secrets.list());
    if (named.length === 0) return;
    const { providers } = await registries();
    for (const account of await keepFrom(secrets, context.env, providers, named))
      context.note(`kept the credentials of ${account} for the worker, out of this environment`);
  });
}
