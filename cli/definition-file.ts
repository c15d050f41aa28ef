import type { Definition } from '../core/definition/definition.js';
import { findSecretRefs } from '../core/taskserv/secret.js';
import { isGenerated } from '../core/taskserv/secret-reach.js';
import { type Loaded, type LoadOptions, loadDefinition } from '../definition/load-definition.js';
import { secretNamesOf } from '../secrets/infra-secrets.js';
import { accountsAmong, keepCredentials as keepFrom } from '../secrets/keep-credentials.js';
import { settledEnvironment } from '../settings/settings.js';
import { openSecrets } from '../stores/open-secrets.js';
import { environmentKey, type SecretStore } from '../stores/secrets.js';
import { DefinitionError } from './failure.js';
import type { Session } from './session.js';

/** All taskservs and providers that there are. */
export async function registries(): Promise<LoadOptions['registries']> {
  const [{ taskservs }, { providers }] = await Promise.all([
    import('../taskservs/registry.generated.js'),
    import('../providers/registry.generated.js'),
  ]);
  return { taskservs, providers };
}

/** Uses the secrets of this set-up: the home's, or its team's. */
export async function withSecrets<T>({ home, env }: Session, use: (secrets: SecretStore) => Promise<T>): Promise<T> {
  const { secrets, close } = await openSecrets(home, await settledEnvironment(home, env));
  return use(secrets).finally(close);
}

/** Reads a definition file, with all that is wrong with it. */
export async function readDefinition(session: Session, file: string): Promise<Loaded> {
  const [found, secretNames] = await Promise.all([
    registries(),
    withSecrets(session, (secrets) => secretNamesOf(secrets, session.workspace, session.env)),
  ]);
  return loadDefinition(file, { workspace: session.workspace, registries: found, secretNames });
}

/** @throws DefinitionError with every problem of the file */
export async function definitionFrom(session: Session, file: string): Promise<Definition> {
  const { definition, problems } = await readDefinition(session, file);
  if (!definition) throw new DefinitionError(file, problems);
  return definition;
}

/**
 * Keeps the secrets that a definition takes from this command's environment: the
 * worker that needs them, perhaps after a restart, has another one.
 */
export async function keepEnvironmentSecrets(session: Session, definition: Definition): Promise<void> {
  await keepCredentials(session, [...new Set(definition.servers.map(({ provider }) => provider))]);
  const given = new Set(findSecretRefs(definition).map((ref) => ref.name));
  const values = [...given].flatMap((name) => {
    if (isGenerated(name)) return [];
    const value = session.env[environmentKey(name)];
    return value === undefined ? [] : [{ name, value }];
  });
  if (values.length === 0) return;
  await withSecrets(session, async (secrets) => {
    const { workspace, infra } = definition;
    const scoped = await secrets.listScoped(workspace);
    for (const { name, value } of values) {
      // Where it would be found first; else, as by `secret set`, for the workspace.
      const narrow = scoped.some((one) => one.name === name && one.infra === infra);
      await secrets.within(narrow ? { workspace, infra } : { workspace }).set(name, value);
    }
  });
}

/**
 * Keeps the credentials that this command's environment holds, and says so.
 *
 * @param accounts as definitions name them; absent: those of which credentials are kept already
 */
export async function keepCredentials(session: Session, accounts?: readonly string[]): Promise<void> {
  await withSecrets(session, async (secrets) => {
    const named = accounts ?? accountsAmong(await secrets.list());
    if (named.length === 0) return;
    const { providers } = await registries();
    for (const account of await keepFrom(secrets, session.env, providers, named))
      session.err.write(`kept the credentials of ${account} for the worker, out of this environment\n`);
  });
}
