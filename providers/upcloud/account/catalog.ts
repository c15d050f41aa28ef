import type { Catalog, CatalogPlan, Price } from '../../../sdk/index.js';
import type { Cloud } from '../cloud/cloud.js';
import { call } from '../errors.js';
import { imageName } from '../images.js';
import { OWN_DISK_GIB } from '../plans.js';
import { PLAN_HOURS_A_MONTH, type PriceList, priceOf, readPrices } from '../prices.js';
import { REGIONS } from '../zones.js';
import { accountReport } from './check.js';

/** Creates the catalog of UpCloud's present offer, at the prices of this account. */
export function createCatalog(cloud: Cloud): Catalog {
  const { offer } = cloud;
  const ask = <T>(what: string, signal: AbortSignal | undefined, work: () => Promise<T>) => call(what, 'UpCloud', signal, work);
  return {
    defaultZone: cloud.zone,

    plans: (signal) =>
      ask('list the plans', signal, async () => {
        const plans = (await offer.plans(signal)).filter((plan) => plan.current_offering !== false);
        const prices = await readPrices(cloud, signal);
        const zones = (await offer.zones(signal)).map(({ id }) => id);
        const unpriced = zones.filter((id) => !prices.zones.some(({ name }) => name === id));
        return plans.map(({ name, core_number, memory_amount, storage_size = 0 }): CatalogPlan => {
          const sold = prices.zones.flatMap((zone) => {
            const item = zone.items[`server_plan_${name}`];
            return item ? [[zone.name, priceOf(item, prices.currency, PLAN_HOURS_A_MONTH)] as const] : [];
          });
          const inZones = Object.fromEntries([...unpriced.map((id) => [id, null] as const), ...sold]);
          // A plan without a disk gets an extra boot disk, which is billed as a storage.
          const apart = storage_size === 0 ? { bootDiskGiB: OWN_DISK_GIB } : {};
          return { name, cores: core_number, memoryMiB: memory_amount, diskGiB: storage_size, zones: inZones, ...apart };
        });
      }),

    images: (signal) =>
      ask('list the images', signal, async () => {
        const taken = new Set<string>();
        return (await offer.templates(signal)).map((template) => {
          // Several templates of one system: the abstract name stands for the first.
          const abstract = imageName(template);
          const name = abstract !== undefined && !taken.has(abstract) ? abstract : template.title;
          taken.add(name);
          return { name, id: template.uuid, title: template.title };
        });
      }),

    zones: (signal) =>
      ask('list the zones', signal, async () =>
        (await offer.zones(signal))
          .filter((zone) => zone.public !== false)
          .map(({ id, description }) => {
            const region = Object.keys(REGIONS).find((name) => REGIONS[name] === id);
            return { name: id, title: description, ...(region && { region }) };
          }),
      ),

    volumePrices: (signal) =>
      ask('read the prices', signal, async () => byZone(await readPrices(cloud, signal), 'storage_maxiops')),

    // A plan includes one public IPv4 address. A reserved address is an additional one when its server is replaced.
    addOns: (signal) =>
      ask('read the prices', signal, async () => {
        const list = await readPrices(cloud, signal);
        return { address: { of: 'reserved', prices: byZone(list, 'ipv4_address') }, firewall: byZone(list, 'firewall') };
      }),

    check: (signal) => ask('check the account', signal, () => accountReport(cloud, signal)),
  };
}

function byZone({ zones, currency }: PriceList, item: string): Record<string, Price> {
  const found = zones.flatMap(({ name, items }): [string, Price][] => {
    const price = items[item] && priceOf(items[item], currency);
    return price ? [[name, price]] : [];
  });
  return Object.fromEntries(found);
}
