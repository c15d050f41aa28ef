import { type Loaded, type LoadOptions, loadDefinition } from '../config/load-definition.js';
import type { Definition } from '../core/definition.js';
import { findSecretRefs } from '../core/secret.js';
import { FileSecretStore } from '../secrets/file-secret-store.js';
import { environmentKey, secretNamesOf } from '../secrets/secret-store.js';
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

/** The secrets of this home. */
export const secretsOf = ({ home, env }: Session): FileSecretStore => new FileSecretStore(home.secrets, env);

/** Reads a definition file, with all that is wrong with it. */
export async function readDefinition(session: Session, file: string): Promise<Loaded> {
  const [found, secretNames] = await Promise.all([registries(), secretNamesOf(secretsOf(session), session.env)]);
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
  const store = secretsOf(session);
  for (const name of new Set(findSecretRefs(definition).map((ref) => ref.name))) {
    const value = session.env[environmentKey(name)];
    if (value !== undefined) await store.set(name, value);
  }
}
