import { accountIn, findCredentials } from '../core/machine/account.js';
import type { AnyProvider, Outside } from '../core/machine/provider.js';
import type { SecretStore } from '../stores/secrets.js';

/**
 * Keeps the credentials of accounts that an environment holds, in place of those
 * kept before: a worker has the environment of whoever started it, and outlives it.
 *
 * @param accounts as definitions name them
 * @returns those of which something changed
 */
export async function keepCredentials(
  secrets: SecretStore,
  env: Outside['env'],
  providers: Readonly<Record<string, Pick<AnyProvider, 'name' | 'variables'>>>,
  accounts: readonly string[],
): Promise<string[]> {
  const changed: string[] = [];
  for (const name of accounts) {
    const { provider, account } = accountIn(name);
    const known = Object.hasOwn(providers, provider) ? providers[provider] : undefined;
    const credentials = known ? findCredentials(known, account) : [];
    if (!credentials.some(({ variable }) => env[variable])) continue;
    const changes = await Promise.all(credentials.map(({ variable, secret }) => keep(secrets, secret, env[variable])));
    if (changes.includes(true)) changed.push(name);
  }
  return changed;
}

/** The accounts of which credentials are kept, as definitions name them; among them names that are no accounts. */
export const accountsAmong = (secrets: readonly string[]): string[] => [
  ...new Set(secrets.flatMap((name) => /^(?!generated\/)([^/]+\/[^/]+)\/[^/]+$/.exec(name)?.[1] ?? [])),
];

/** What the environment says no more was of another kind of credentials, and would contradict these. */
async function keep(secrets: SecretStore, name: string, value: string | undefined): Promise<boolean> {
  if (!value) return secrets.delete(name);
  if ((await secrets.get(name)) === value) return false;
  await secrets.set(name, value);
  return true;
}
