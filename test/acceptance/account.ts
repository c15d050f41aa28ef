import { setTimeout as sleep } from 'node:timers/promises';
import { inputError, ProvisioningError, TRANSIENT } from '../../core/errors.js';
import { accountIn } from '../../core/machine/account.js';
import type { AnyProvider, ProviderConnection, WantedServer } from '../../core/machine/provider.js';
import type { ProviderOffer } from '../../core/operation/provider-questions.js';
import { loadModules } from '../../core/registry.js';
import { providers } from '../../providers/registry.generated.js';
import { hourlyOf } from './meter.js';

/** Labels of a run's resources. A sweep finds the remains of any run by them. */
export const LABELS = { workspace: 'acceptance', setup: 'provisioning-acceptance' } as const;

/** Maximum number of servers that the contract creates. The emulators' test compares it with the actual number. */
export const MOST_SERVERS = 40;

/** An account of a cloud, with the credentials of the environment. */
export interface Account {
  provider: AnyProvider;
  connection: ProviderConnection;
  /** Values that must not appear in a recording. */
  secrets: string[];
}

/**
 * Opens an account. @param named `hetzner` or `hetzner/prod` @throws inputError `unknown-provider`, and errors of the
 * provider
 */
export async function accountOf(named: string, env: NodeJS.ProcessEnv): Promise<Account> {
  const { provider: name, account } = accountIn(named);
  const provider = Object.hasOwn(providers, name) ? (await loadModules(providers, [name]))[name] : undefined;
  if (!provider || provider.free)
    throw inputError({
      code: 'unknown-provider',
      what: 'find the provider',
      on: name,
      why: provider ? 'nothing is paid for its machines' : 'no provider has this name',
      hint: 'one of hetzner, upcloud, aws',
    });
  const poll = Number(env.ACCEPTANCE_POLL_MS);
  const config = { ...(account === 'default' ? {} : { account }), ...(poll > 0 && name !== 'hetzner' ? { pollMs: poll } : {}) };
  const connection = await provider.connect(provider.config.parse(config), { env, secret: async () => undefined });
  const suffix = account === 'default' ? '' : `_${account.toUpperCase().replaceAll('-', '_')}`;
  const secrets = Object.keys(provider.variables ?? {}).flatMap((variable) => env[`${variable}${suffix}`] ?? env[variable] ?? []);
  return { provider, connection, secrets };
}

/** Returns the price list, and the highest hourly price of a run's servers. @throws inputError `price-unknown` */
export async function pricesOf({ provider, connection }: Pick<Account, 'provider' | 'connection'>) {
  const { catalog } = connection;
  if (!catalog) throw inputError({ code: 'price-unknown', what: 'limit the cost', on: provider.name, why: 'it has no price list' });
  const sold: ProviderOffer = {
    plans: await patiently(() => catalog.plans()),
    ...(catalog.defaultZone !== undefined && { defaultZone: catalog.defaultZone }),
    ...(catalog.smallestVolumeGiB !== undefined && { smallestVolumeGiB: catalog.smallestVolumeGiB }),
    ...(catalog.volumePrices && { volumePrices: await catalog.volumePrices() }),
    ...(catalog.addOns && { addOns: await catalog.addOns() }),
  };
  const wanted: WantedServer = {
    ...{ name: 'web-1', role: 'web', plan: provider.sizes.medium, image: provider.images.default, labels: {} },
    ...{ volumes: [{ name: 'data', sizeGiB: 20, mount: '/srv/data' }], network: 'default', address: 'reserved', firewall: [] },
  };
  const zones = [undefined, ...Object.values(provider.regions ?? {})];
  const known = zones.flatMap((zone) => {
    try {
      return [hourlyOf(provider.name, { ...wanted, ...(zone && { zone }) }, sold)];
    } catch {
      return [];
    }
  });
  const dearest = known.sort((a, b) => b.hourly - a.hourly)[0] ?? hourlyOf(provider.name, wanted, sold);
  return { sold, ...dearest };
}

/** Retries a request without an answer, as operations do. */
async function patiently<T>(ask: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++)
    try {
      return await ask();
    } catch (error) {
      if (tries >= TRIES || !(error instanceof ProvisioningError) || error.details.blame !== TRANSIENT) throw error;
      await sleep(1_000 * tries);
    }
}
const TRIES = 4;
