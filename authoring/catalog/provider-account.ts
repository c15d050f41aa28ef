import { inputError } from '../../core/errors.js';
import { accountIn, accountName, accountsKnown } from '../../core/machine/account.js';
import type { AnyProvider } from '../../core/machine/provider.js';
import { loadModules } from '../../core/registry.js';
import { registries } from '../../definition/registries/registries.js';
import { didYouMean } from '../../definition/source/did-you-mean.js';
import { resolveEnvironment } from '../../settings/settings.js';
import type { Context } from '../context.js';
import { keepCredentials } from '../secrets/keep-environment.js';

/**
 * Returns the account that a command names, and its provider.
 *
 * @throws an input error `unknown-provider`
 */
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

/**
 * Adds the accounts whose credentials are in this command's environment to those of the platform. A command that uses
 * such an account gives its credentials to the platform. `isFree`: the provider needs no vendor.
 */
export async function addOwnAccounts<T extends { name: string; accounts: string[] }>(
  context: Context,
  listed: readonly T[],
): Promise<(T & { isFree: boolean })[]> {
  const providers = await loadModules((await registries()).providers);
  const env = await resolveEnvironment(context.home, context.env);
  return Promise.all(
    listed.map(async (one) => {
      const provider = Object.hasOwn(providers, one.name) ? providers[one.name] : undefined;
      const own = provider ? await accountsKnown(provider, env, []) : [];
      return { ...one, accounts: [...new Set([...one.accounts, ...own])].sort(), isFree: provider?.free === true };
    }),
  );
}
