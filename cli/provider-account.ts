import { inputError } from '../core/errors.js';
import { accountIn, accountName, accountsKnown } from '../core/machine/account.js';
import type { AnyProvider } from '../core/machine/provider.js';
import { didYouMean } from '../definition/source/did-you-mean.js';
import { settledEnvironment } from '../settings/settings.js';
import type { OptionSpec } from './command.js';
import { keepCredentials, registries, withSecrets } from './definition-file.js';
import type { Session } from './session.js';

export const FRESH: OptionSpec = { flags: '--fresh', about: 'ask the provider, also where an answer of today is kept' };

/** The account that a command names, and its provider. @throws an input error `unknown-provider` */
export async function accountNamed(session: Session, written: string): Promise<{ name: string; provider: AnyProvider }> {
  const { providers } = await registries();
  const account = accountIn(written);
  const provider = Object.hasOwn(providers, account.provider) ? providers[account.provider] : undefined;
  if (!provider) {
    const hint = didYouMean(account.provider, Object.keys(providers));
    throw inputError({ code: 'unknown-provider', what: 'find the provider', on: written, why: 'there is none of this name', hint });
  }
  const name = accountName(account);
  await keepCredentials(session, [name]);
  return { name, provider };
}

/** All accounts that there are credentials for, by provider. */
export async function knownAccounts(session: Session): Promise<{ provider: AnyProvider; accounts: string[] }[]> {
  const { providers } = await registries();
  const env = await settledEnvironment(session.home, session.env);
  const kept = await withSecrets(session, (secrets) => secrets.list());
  const names = Object.keys(providers).sort();
  return Promise.all(
    names.map(async (name) => {
      const provider = providers[name] as AnyProvider;
      return { provider, accounts: await accountsKnown(provider, env, kept) };
    }),
  );
}
