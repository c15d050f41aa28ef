import type { AccountReport, Catalog, CatalogPlan, Price } from '../../core/provider.js';
import { type PriceZone, UpCloudError } from './client/index.js';
import type { Cloud } from './cloud.js';
import { call } from './failures.js';
import { imageName } from './images.js';
import { REGIONS } from './zones.js';

/** A month is counted as 28 days: what a plan costs at most. */
const HOURS_A_MONTH = 672;

/** What UpCloud sells, as it says it itself. */
export function catalogOf(cloud: Cloud): Catalog {
  const { client, offer } = cloud;
  const ask = <T>(what: string, signal: AbortSignal | undefined, work: () => Promise<T>) => call(what, 'UpCloud', signal, work);
  return {
    defaultZone: cloud.zone,
    plans: (signal) =>
      ask('list the plans', signal, async () => {
        const plans = await offer.plans(signal);
        const prices = await client.offer.prices({ signal });
        const currency = await currencyOf(cloud, signal);
        return plans
          .filter((plan) => plan.current_offering !== false)
          .map(
            ({ name, core_number, memory_amount, storage_size = 0 }): CatalogPlan => ({
              name,
              cores: core_number,
              memoryMiB: memory_amount,
              diskGiB: storage_size,
              zones: Object.fromEntries(prices.map((zone) => [zone.name, priceIn(zone, `server_plan_${name}`, currency)])),
            }),
          );
      }),

    images: (signal) =>
      ask('list the images', signal, async () =>
        (await offer.templates(signal)).map((one) => ({ name: imageName(one) ?? one.title, id: one.uuid, title: one.title })),
      ),

    zones: (signal) =>
      ask('list the zones', signal, async () =>
        (await offer.zones(signal))
          .filter((zone) => zone.public !== false)
          .map(({ id, description }) => {
            const region = Object.keys(REGIONS).find((name) => REGIONS[name] === id);
            return { name: id, title: description, ...(region ? { region } : {}) };
          }),
      ),

    volumePrices: (signal) =>
      ask('read the prices', signal, async () => {
        const prices = await client.offer.prices({ signal });
        const currency = await currencyOf(cloud, signal);
        const entries = prices.map((zone) => [zone.name, priceIn(zone, 'storage_maxiops', currency)] as const);
        return Object.fromEntries(entries.flatMap(([name, price]) => (price ? [[name, price]] : [])));
      }),

    check: (signal) => ask('check the account', signal, () => checkAccount(cloud, signal)),
  };
}

/** UpCloud counts in credits, hundredths of the account's currency. */
function priceIn({ items }: PriceZone, item: string, currency: string): Price | null {
  const found = items[item];
  if (!found) return null;
  const hourly = found.price / found.amount / 100;
  return { currency, hourly, monthly: hourly * HOURS_A_MONTH };
}

const CURRENCY = 'EUR';

/** The main account may read it; the others' is that of most. */
async function currencyOf({ client }: Cloud, signal?: AbortSignal): Promise<string> {
  const { username } = await client.account.read({ signal });
  const details = await client.account.details(username, { signal }).catch((error) => {
    if (error instanceof UpCloudError && error.kind === 'refused' && (error.status ?? 0) < 429) return undefined;
    throw error;
  });
  return details?.currency ?? CURRENCY;
}

/** Names of UpCloud's limits that servers, networks and volumes count towards. */
const LIMITS = [
  'cores',
  'memory',
  'networks',
  'public_ipv4',
  'public_ipv6',
  'detached_floating_ips',
  'storage_maxiops',
  'storage_standard',
  'storage_hdd',
];

async function checkAccount({ client }: Cloud, signal?: AbortSignal): Promise<AccountReport> {
  const account = await client.account.read({ signal });
  const abilities: AccountReport['abilities'] = [];
  const may = async <T>(what: string, look: () => Promise<T[]>): Promise<T[]> => {
    try {
      const found = await look();
      abilities.push({ what, allowed: true });
      return found;
    } catch (error) {
      if (!(error instanceof UpCloudError) || error.status !== 403) throw error;
      abilities.push({ what, allowed: false, why: `${error.code}: ${error.reason}` });
      return [];
    }
  };
  const servers = await may('list servers', () => client.servers.list({}, { signal }));
  const networks = await may('list networks', () => client.networks.list({}, { signal }));
  const storages = await may('list storages', () => client.storages.list({ kind: 'private' }, { signal }));
  await may('list server groups', () => client.serverGroups.list({}, { signal }));
  abilities.push({ what: 'create and delete', why: 'UpCloud tells only who does it' });
  const sum = <T>(rows: readonly T[], of: (row: T) => number) => rows.reduce((total, row) => total + of(row), 0);
  const used: Record<string, number> = {
    cores: sum(servers, (server) => server.core_number),
    memory: sum(servers, (server) => server.memory_amount),
    networks: networks.filter(({ type }) => type === 'private').length,
    storage_maxiops: sum(
      storages.filter(({ tier }) => tier === 'maxiops'),
      ({ size }) => size,
    ),
  };
  const limits = LIMITS.flatMap((what) => {
    const limit = account.resource_limits?.[what];
    return typeof limit === 'number' ? [{ what, limit, ...(what in used ? { used: used[what] } : {}) }] : [];
  });
  return { identity: account.username, abilities, limits };
}
