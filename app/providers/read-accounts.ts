import { accountsKnown } from '../../core/machine/account.js';
import type { AnyProvider } from '../../core/machine/provider.js';
import { resolveEnvironment } from '../../settings/settings.js';
import type { Engine } from '../engine.js';

/** Reads once where the platform has credentials. The function it answers lists the accounts of a provider, sorted. */
export async function readAccounts({ beside, stores }: Engine): Promise<(provider: AnyProvider) => Promise<string[]>> {
  const env = beside ? await resolveEnvironment(beside.home, beside.env) : {};
  const kept = (await stores.secrets?.list()) ?? [];
  return (provider) => accountsKnown(provider, env, kept);
}
