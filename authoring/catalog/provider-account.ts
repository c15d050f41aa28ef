import { inputError } from '../../core/errors.js';
import { accountIn, accountName, accountsKnown } from '../../core/machine/account.js';
import type { AnyProvider } from '../../core/machine/provider.js';
import { loadModules } from '../../core/registry.js';
import { registries } from '../../definition/registries/registries.js';
import { didYouMean } from '../../definition/source/did-you-mean.js';
import { resolveEnvironment } from '../../settings/settings.js';
import type { Context } from '../context.js';
import { keepCredentials, useSecrets } from '../definition/definitions.js';

/** The account that a command names, and its provider. @throws an input error `unknown-provider` */
export async function accountNamed(context: Context, written: string): Promise<{ name: string; provider: AnyProvider }> {
  const { providers } = await registries();
  const account = accountIn(written);
  const provider = Object.hasOwn(providers, account.provider) ? providers[account.provider] : undefined;
  if (!provider) {
    const hint = didYouMean(account.provider, Object.keys(providers));
    throw inputError({
      code: 'unknown-provider',
      what: 'find the provider',
      on: written,
      why: 'the platform has no provider with this name',
      hint,
    });
  }
  const name = accountName(account);
  await keepCredentials(context, [name]);
  return { name, provider: await provider.load() };
}

/** All accounts that there are credentials for, by provider. */
export async function listKnownAccounts(context: Context): Promise<{ provider: AnyProvider; accounts: string[] }[]> {
  const providers = await loadModules((await registries()).providers);
  const env = await resolveEnvironment(context.home, context.env);
  const kept = await useSecrets(context, (secrets) => secrets.list());
  const byName = Object.values(providers).sort((a, b) => (a.name < b.name ? -1 : 1));
  return Promise.all(byName.map(async (provider) => ({ provider, accounts: await accountsKnown(provider, env, kept) })));
}
