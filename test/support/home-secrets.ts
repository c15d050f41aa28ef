import type { Context } from '../../authoring/context.js';
import { unreachableError } from '../../core/errors.js';
import { resolveEnvironment } from '../../settings/settings.js';
import { openSecrets } from '../../stores/open-secrets.js';
import type { SecretStore } from '../../stores/secrets.js';

/** Opens the secrets of a home or its team, as its worker does. */
export async function useSecrets<T>(
  { home, env }: Pick<Context, 'home' | 'env'>,
  use: (secrets: SecretStore) => Promise<T>,
): Promise<T> {
  const { secrets, close } = await openSecrets(home, await resolveEnvironment(home, env));
  return use(secrets).finally(close);
}

/** Fails like the client of a home whose engine does not run. */
export const noEngine = (): Promise<never> =>
  Promise.reject(unreachableError({ code: 'engine-not-running', what: 'find the engine', why: 'this test has none' }));
