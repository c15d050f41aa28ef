import { messageOf, ProvisioningError } from '../../core/errors.js';
import { accountIn } from '../../core/machine/account.js';
import { computeCost, type PriceList } from '../../core/machine/cost.js';
import type { PricedServer, PriceOf } from '../../core/machine/cost-preview.js';
import { registries } from '../../definition/registries/registries.js';
import { locate } from '../locate.js';
import type { Call } from '../method.js';
import { askProvider } from '../providers/ask.js';

type Caller = Pick<Call, 'engine' | 'principal'>;

/**
 * Queries the accounts of servers for their prices. If a price cannot be found, it is unknown, with the reason.
 * Results that need prices are shown without them too.
 */
export async function readPrices(caller: Caller, servers: readonly PricedServer[]): Promise<PriceOf> {
  const accounts = new Set(servers.flatMap(({ host, provider }) => (host ? [] : [provider])));
  const lists = new Map(await Promise.all([...accounts].map(async (name) => [name, await readList(caller, name)] as const)));
  return (server) => computeCost(server, lists.get(server.provider) ?? { unknown: 'the provider was not asked' });
}

async function readList({ engine, principal }: Caller, account: string): Promise<PriceList> {
  const { providers } = await registries();
  if (providers[accountIn(account).provider]?.free) return { free: true };
  if (!(await principal.may('provider:read', await locate(engine, { type: 'Provider', id: account }))))
    return { unknown: `${principal.actor} may not ask ${account} for prices` };
  try {
    return { sold: await askProvider(engine, account, 'plans') };
  } catch (error) {
    return { unknown: error instanceof ProvisioningError ? error.details.why : messageOf(error) };
  }
}
