import { inputError } from '../core/errors.js';
import type { AnyProvider } from '../core/machine/provider.js';
import { isGenerated, type SecretScope, whyOutOfReach } from '../core/taskserv/secret-reach.js';
import { environmentKey, type SecretStore } from '../stores/secrets.js';

/** The secrets that definitions of one infra can refer to. */
export type InfraSecrets = Pick<SecretStore, 'get' | 'ensureGenerated'>;

/**
 * Looks for a secret among those of the infra, then of its workspace, then among the
 * shared ones, where the environment's win. Throws the input error `secret-out-of-reach`
 * for credentials of accounts, and for what was generated for another infra.
 */
export function infraSecrets(
  store: InfraSecrets & { within(scope: SecretScope): Pick<SecretStore, 'get'> },
  { workspace, infra }: Required<SecretScope>,
  providers: Readonly<Record<string, Pick<AnyProvider, 'variables'>>>,
): InfraSecrets {
  const scope = { workspace, infra };
  const check = (name: string) => {
    const why = whyOutOfReach(name, scope, providers);
    if (why) throw inputError({ code: 'secret-out-of-reach', what: 'resolve the secret', on: name, why });
  };
  return {
    async get(name) {
      check(name);
      if (isGenerated(name)) return store.get(name);
      return (await store.within(scope).get(name)) ?? (await store.within({ workspace }).get(name)) ?? (await store.get(name));
    },
    async ensureGenerated(name) {
      check(name);
      return store.ensureGenerated(name);
    },
  };
}

/** Which secrets are set for definitions of a workspace, the environment's included: what loading a definition asks. */
export async function secretNamesOf(
  store: SecretStore,
  workspace: string,
  env: Readonly<Record<string, string | undefined>> = process.env,
): Promise<{ has(name: string, infra: string): boolean }> {
  const [shared, scoped] = await Promise.all([store.list(), store.listScoped(workspace)]);
  const kept = new Set(shared);
  const wide = new Set(scoped.filter(({ infra }) => infra === undefined).map(({ name }) => name));
  const narrow = new Set(scoped.map(({ name, infra }) => `${infra}\n${name}`));
  return {
    has: (name, infra) =>
      narrow.has(`${infra}\n${name}`) || wide.has(name) || kept.has(name) || env[environmentKey(name)] !== undefined,
  };
}
