import { askSecrets, type SecretMethods } from '../../client/ask-secrets.js';
import type { Definition } from '../../core/definition/definition.js';
import { accountIn, accountsAmong, findCredentials } from '../../core/machine/account.js';
import { findSecretRefs } from '../../core/taskserv/secret.js';
import { isGenerated } from '../../core/taskserv/secret-reach.js';
import { registries } from '../../definition/registries/registries.js';
import { environmentKey } from '../../stores/secrets.js';
import type { Context } from '../context.js';

/** Context for storing secrets: the store, and the environment that has them. */
type Keeping = Pick<Context, 'home' | 'env' | 'client' | 'workspace' | 'note'>;

/**
 * Stores the secrets that a definition takes from this command's environment. The worker, perhaps after a restart, has
 * a different environment. Sends no request if the environment has none of them.
 */
export async function keepEnvironmentSecrets(context: Keeping, definition: Definition): Promise<void> {
  await keepCredentials(context, [...new Set(definition.servers.map(({ provider }) => provider))]);
  const given = new Set(findSecretRefs(definition).map((ref) => ref.name));
  const values = [...given].flatMap((name): [string, string][] => {
    const value = isGenerated(name) ? undefined : context.env[environmentKey(name)];
    return value ? [[name, value]] : [];
  });
  if (values.length === 0) return;
  const { workspace, infra } = definition;
  await askSecrets(context, async (secrets) => {
    const listed = await secrets.list({ workspace });
    // In the infra's scope if the lookup finds the secret there first; otherwise for the workspace, as with `secret
    // set`.
    const isNarrow = ([name]: [string, string]) => listed.some((one) => one.name === name && one.infra === infra);
    const keep = async (scope: { infra?: string }, some: [string, string][]) => {
      if (some.length > 0) await secrets.import({ workspace, ...scope, values: Object.fromEntries(some), ...FROM_ENVIRONMENT });
    };
    await keep({ infra }, values.filter(isNarrow));
    await keep(
      {},
      values.filter((one) => !isNarrow(one)),
    );
  });
}

const FROM_ENVIRONMENT = { source: 'environment' } as const;

/**
 * Stores the credentials from this command's environment, replaces earlier values and prints a note. A worker has the
 * environment of the process that started it, and outlives this command. Sends no request if the environment has no
 * credentials.
 *
 * @param accounts as definitions name them; default: the accounts with stored credentials
 */
export async function keepCredentials(context: Keeping, accounts?: readonly string[]): Promise<void> {
  const { providers } = await registries();
  const prefixes = Object.values(providers).flatMap(({ variables = {} }) => Object.keys(variables));
  const isSet = Object.entries(context.env).some(([name, value]) => value && prefixes.some((prefix) => name.startsWith(prefix)));
  if (!isSet) return;
  await askSecrets(context, async (secrets) => {
    const named = accounts ?? accountsAmong(await namesOf(secrets, context.workspace));
    for (const account of named)
      if (await keepAccount(context, secrets, account))
        context.note(`kept the credentials of ${account} for the worker, out of this environment`);
  });
}

/** @returns whether something changed */
async function keepAccount({ env, workspace }: Keeping, secrets: SecretMethods, name: string): Promise<boolean> {
  const { provider, account } = accountIn(name);
  const { providers } = await registries();
  const known = Object.hasOwn(providers, provider) ? providers[provider] : undefined;
  const credentials = known ? findCredentials(known, account) : [];
  const values = credentials.flatMap(({ variable, secret }): [string, string][] => {
    const value = env[variable];
    return value ? [[secret, value]] : [];
  });
  if (values.length === 0) return false;
  const kept = await secrets.import({ workspace, shared: true, values: Object.fromEntries(values), ...FROM_ENVIRONMENT });
  // Stored values that the environment does not have are for another type of credentials and would conflict.
  const absent = credentials.filter(({ variable }) => !env[variable]).map(({ secret }) => secret);
  const there = absent.length > 0 ? new Set(await namesOf(secrets, workspace)) : new Set();
  const former = absent.filter((secret) => there.has(secret));
  for (const secret of former) await secrets.delete({ workspace, name: secret });
  return former.length > 0 || kept.some(({ change }) => change !== 'same');
}

/** The names of all accounts' credentials. */
const namesOf = async (secrets: SecretMethods, workspace: string): Promise<string[]> =>
  (await secrets.list({ workspace })).filter(({ scope }) => scope === 'account').map(({ name }) => name);
