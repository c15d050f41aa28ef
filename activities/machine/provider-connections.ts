import { inputError, ProvisioningError } from '../../core/errors.js';
import { accountIn, findCredentials } from '../../core/machine/account.js';
import type { AnyProvider, CredentialSource, ProviderConnection } from '../../core/machine/provider.js';
import type { Dependencies, SecretSource } from '../dependencies.js';
import { limitByGate, openGate } from './account-gate.js';

/** Opens an account, `hetzner/prod`, or answers the one that is open. */
export type ConnectionOf = (account: string) => Promise<ProviderConnection>;

interface Opened {
  connection: ProviderConnection;
  /** Whether what it was opened with is still what there is. */
  isCurrent(): Promise<boolean>;
}

/**
 * Connects each account once, and again when its credentials changed or were refused, because the worker outlives
 * both. A pause that an account demands from one caller holds for all.
 */
export function providerConnections({
  providers,
  limits,
  secrets,
  env = process.env,
  providerSettings = () => ({}),
}: Pick<Dependencies, 'providers' | 'limits' | 'secrets' | 'env' | 'providerSettings'>): ConnectionOf {
  const open = new Map<string, Promise<Opened>>();

  async function connect(name: string): Promise<Opened> {
    const { provider: providerName, account } = accountIn(name);
    const provider = Object.hasOwn(providers, providerName) ? providers[providerName] : undefined;
    if (!provider)
      throw inputError({
        code: 'unknown-provider',
        what: 'connect to the provider',
        on: name,
        why: 'the platform has no such provider',
      });
    const asked = watched(secrets);
    const config = provider.config.parse({ ...providerSettings(providerName), ...(name.includes('/') ? { account } : {}) });
    const connection = await provider.connect(config, {
      env: await environmentFor(provider, account, env, asked),
      secret: asked.get,
    });
    const gate = openGate(name, limits?.get(name)?.limit);
    const refused = (error: unknown) => {
      if (error instanceof ProvisioningError && error.details.code === 'credentials') open.delete(name);
    };
    return { connection: limitByGate(connection, gate, refused), isCurrent: asked.isCurrent };
  }

  function ask(name: string): Promise<Opened> {
    const opening = connect(name);
    open.set(name, opening);
    opening.catch(() => {
      if (open.get(name) === opening) open.delete(name);
    });
    return opening;
  }

  return async (name) => {
    const known = open.get(name);
    if (!known) return (await ask(name)).connection;
    const { connection, isCurrent } = await known;
    if (await isCurrent()) return connection;
    // If several callers find it outdated, one connects again.
    if (open.get(name) === known) open.delete(name);
    return (await (open.get(name) ?? ask(name))).connection;
  };
}

/**
 * Environment without the account's variables if the store has any of its secrets. The worker's variables are as old
 * as the worker, and a provider would use them first.
 */
async function environmentFor(
  provider: AnyProvider,
  account: string,
  env: CredentialSource['env'],
  { get }: Pick<SecretSource, 'get'>,
): Promise<CredentialSource['env']> {
  const credentials = findCredentials(provider, account);
  const kept = await Promise.all(credentials.map(({ secret }) => get(secret)));
  if (kept.every((value) => value === undefined)) return env;
  const hidden = new Set(credentials.map(({ variable }) => variable));
  return Object.fromEntries(Object.entries(env).filter(([variable]) => !hidden.has(variable)));
}

/** Secrets that remember what was asked of them. */
function watched(secrets: SecretSource) {
  const answers = new Map<string, string | undefined>();
  return {
    async get(name: string): Promise<string | undefined> {
      const value = await secrets.get(name);
      answers.set(name, value);
      return value;
    },
    async isCurrent(): Promise<boolean> {
      for (const [name, value] of answers) if ((await secrets.get(name)) !== value) return false;
      return true;
    },
  };
}
