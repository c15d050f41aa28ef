import { NAME } from '../names.js';
import type { AnyProvider, CredentialSource } from './provider.js';

/** The account of a provider that is meant where none is named. */
export const DEFAULT_ACCOUNT = 'default';

export interface Account {
  provider: string;
  account: string;
}

/** Account in a definition's `provider`: `hetzner/prod`, or `hetzner` for the default account. */
export function accountIn(name: string): Account {
  const [provider = '', account = DEFAULT_ACCOUNT] = name.split('/', 2);
  return { provider, account };
}

/** Name of an account in definitions, inventories and limits. The default account has only its provider's name. */
export const accountName = ({ provider, account }: Account): string =>
  account === DEFAULT_ACCOUNT ? provider : `${provider}/${account}`;

/**
 * Finds the credentials of an account: each environment variable, and the secret that replaces it: `HCLOUD_TOKEN_PROD`
 * and `hetzner/prod/token`.
 */
export function findCredentials(
  { name, variables = {} }: Pick<AnyProvider, 'name' | 'variables'>,
  account = DEFAULT_ACCOUNT,
): { variable: string; secret: string }[] {
  const suffix = account === DEFAULT_ACCOUNT ? '' : `_${account.toUpperCase().replaceAll('-', '_')}`;
  return Object.entries(variables).map(([variable, part]) => ({
    variable: `${variable}${suffix}`,
    secret: `${name}/${account}/${part}`,
  }));
}

/** The accounts of which credentials are kept, as definitions name them; among them names that are no accounts. */
export const accountsAmong = (secrets: readonly string[]): string[] => [
  ...new Set(secrets.flatMap((name) => /^(?!generated\/)([^/]+\/[^/]+)\/[^/]+$/.exec(name)?.[1] ?? [])),
];

/**
 * The accounts of a provider that there are credentials for, sorted; the default one
 * always where the provider needs none.
 *
 * @param secrets names of the secrets that are kept
 */
export async function accountsKnown(
  provider: AnyProvider,
  env: CredentialSource['env'],
  secrets: Iterable<string>,
): Promise<string[]> {
  const found = [...inVariables(provider, env), ...inSecrets(provider, secrets), ...((await provider.accounts?.(env)) ?? [])];
  const known = provider.variables ? found : [DEFAULT_ACCOUNT, ...found];
  return [...new Set(known)].filter((account) => NAME.test(account)).sort();
}

/** All accounts that there are credentials for, as definitions name them, sorted. */
export async function allAccounts(
  providers: Readonly<Record<string, AnyProvider>>,
  env: CredentialSource['env'],
  secrets: { list(): Promise<string[]> },
): Promise<string[]> {
  const kept = await secrets.list();
  const known = Object.values(providers).map(async (provider) =>
    (await accountsKnown(provider, env, kept)).map((account) => accountName({ provider: provider.name, account })),
  );
  return (await Promise.all(known)).flat().sort();
}

function inSecrets({ name, variables = {} }: AnyProvider, secrets: Iterable<string>): string[] {
  const parts = new Set(Object.values(variables));
  return [...secrets].flatMap((secret) => {
    const [owner, account = '', part = '', ...more] = secret.split('/');
    return owner === name && parts.has(part) && more.length === 0 ? [account] : [];
  });
}

function inVariables({ variables = {} }: AnyProvider, env: CredentialSource['env']): string[] {
  const names = Object.keys(variables);
  return Object.keys(env).flatMap((variable) => {
    if (!env[variable]) return [];
    if (names.includes(variable)) return [DEFAULT_ACCOUNT];
    const base = names.find((name) => variable.startsWith(`${name}_`));
    return base
      ? [
          variable
            .slice(base.length + 1)
            .toLowerCase()
            .replaceAll('_', '-'),
        ]
      : [];
  });
}
