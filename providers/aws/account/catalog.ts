import type { Image, InstanceTypeInfo } from '@aws-sdk/client-ec2';
import type { Catalog, CatalogImage, CatalogPlan, CatalogZone } from '../../../sdk/index.js';
import { type Account, pages } from '../ec2/account.js';
import type { Ask, Purpose, Region } from '../ec2/region.js';
import { unless } from '../errors.js';
import { PUBLISHERS } from '../images.js';
import { PLANS, planNamed, ROOT_DISK_GIB } from '../plans.js';
import { openPrices, type PriceList } from '../prices.js';
import { listAvailabilityZones, REGIONS } from '../zones.js';
import { checkAccount } from './check.js';

/** Codes for missing permissions, which leave a price unknown. */
const UNPRICED = ['AccessDeniedException', 'UnauthorizedOperation', 'AccessDenied', 'UnrecognizedClientException'];

/**
 * Creates the catalog of EC2 from the account's region. The regions of the vocabulary list the other places of sale.
 */
export function catalogOf(account: Account, defaultZone: string | undefined): Catalog {
  const purpose = (what: string, signal: AbortSignal | undefined): Purpose => ({ what, on: 'aws', signal });

  /** Returns the account's region, and the opened regions behind abstract ones. */
  const offered = async (why: Purpose): Promise<Region[]> => {
    const names = new Set([...Object.values(REGIONS), ...(defaultZone ? [defaultZone] : [])]);
    return (await account.everywhere(why)).filter(({ name }) => names.has(name));
  };

  return {
    ...(defaultZone ? { defaultZone } : {}),

    async plans(signal) {
      const why = purpose('list the plans', signal);
      const home = await account.home();
      const [types, regions, prices] = await Promise.all([typesOf(home.for(why)), offered(why), pricesOf(account, home.name, why)]);
      const sold = await Promise.all(
        regions.map(async (region) => ({ region: region.name, types: await soldIn(region.for(why)) })),
      );
      const listed = types.flatMap((type) => planOf(type, sold, prices) ?? []);
      const known = new Set(listed.map(({ name }) => name));
      // Types that the account's own region does not sell.
      const elsewhere = [...new Set(sold.flatMap((one) => [...one.types]))].filter((name) => !known.has(name));
      return [...listed, ...elsewhere.flatMap((name) => planByName(name, sold, prices) ?? [])].sort(bySize);
    },

    async images(signal) {
      const why = purpose('list the images', signal);
      const ask = (await account.home()).for(why);
      const all = await Promise.all(Object.keys(PUBLISHERS).map((name) => newest(ask, name)));
      return all.flat();
    },

    async zones(signal) {
      const why = purpose('list the zones', signal);
      const within = async (region: Region): Promise<CatalogZone[]> => {
        const own = Object.entries(REGIONS).find(([, name]) => name === region.name)?.[0];
        const inside = (await listAvailabilityZones(region.for(why))).map(({ name, id }) => ({
          name,
          title: `Availability zone ${id}`.trim(),
        }));
        return [{ name: region.name, title: `Region ${region.name}`, ...(own ? { region: own } : {}) }, ...inside];
      };
      return (await Promise.all((await account.everywhere(why)).map(within))).flat();
    },

    async volumePrices(signal) {
      const prices = await openPrices(account);
      return (await unless(UNPRICED, prices.volumes(purpose('list the prices', signal)))) ?? {};
    },

    async addOns(signal) {
      const prices = await openPrices(account);
      const known = await unless(UNPRICED, prices.addresses(purpose('list the prices', signal)));
      return { address: { of: 'all', prices: known ?? {} } };
    },

    check: (signal) => checkAccount(account, purpose('check the account', signal)),
  };
}

async function pricesOf(account: Account, region: string, why: Purpose): Promise<PriceList> {
  const prices = await openPrices(account);
  const known = PLANS.map(({ name }) => name);
  return (await unless(UNPRICED, prices.instances(region, known, why))) ?? new Map();
}

function typesOf(ask: Ask): Promise<InstanceTypeInfo[]> {
  // Types on which a volume has a stable path. Metal is excluded: it boots for half an hour.
  const Filters = [
    { Name: 'hypervisor', Values: ['nitro'] },
    { Name: 'bare-metal', Values: ['false'] },
  ];
  return pages(
    ask,
    (ec2, options, NextToken) => ec2.describeInstanceTypes({ Filters, NextToken }, options),
    ({ InstanceTypes }) => InstanceTypes,
  );
}

async function soldIn(ask: Ask): Promise<Set<string>> {
  const offerings = await pages(
    ask,
    (ec2, options, NextToken) => ec2.describeInstanceTypeOfferings({ LocationType: 'region', NextToken }, options),
    ({ InstanceTypeOfferings }) => InstanceTypeOfferings,
  );
  return new Set(offerings.flatMap(({ InstanceType }) => InstanceType ?? []));
}

type SoldIn = readonly { region: string; types: ReadonlySet<string> }[];

function planOf(
  { InstanceType: name, VCpuInfo, MemoryInfo }: InstanceTypeInfo,
  sold: SoldIn,
  prices: PriceList,
): CatalogPlan | undefined {
  const [cores, memoryMiB] = [VCpuInfo?.DefaultVCpus, MemoryInfo?.SizeInMiB];
  if (!name || !cores || !memoryMiB) return undefined;
  return { name, cores, memoryMiB, diskGiB: ROOT_DISK_GIB, zones: zonesIn(name, sold, prices), bootDiskGiB: ROOT_DISK_GIB };
}

function planByName(name: string, sold: SoldIn, prices: PriceList): CatalogPlan | undefined {
  const plan = planNamed(name);
  return plan && { ...plan, zones: zonesIn(name, sold, prices), bootDiskGiB: ROOT_DISK_GIB };
}

const zonesIn = (name: string, sold: SoldIn, prices: PriceList): CatalogPlan['zones'] =>
  Object.fromEntries(
    sold.filter(({ types }) => types.has(name)).map(({ region }) => [region, prices.get(name)?.get(region) ?? null]),
  );

const bySize = (a: CatalogPlan, b: CatalogPlan) => a.cores - b.cores || a.memoryMiB - b.memoryMiB || (a.name < b.name ? -1 : 1);

async function newest(ask: Ask, name: string): Promise<CatalogImage[]> {
  const publisher = PUBLISHERS[name];
  if (!publisher) return [];
  const Filters = [
    { Name: 'name', Values: [publisher.names.x86_64] },
    { Name: 'state', Values: ['available'] },
  ];
  const { Images = [] } = await ask((ec2, options) => ec2.describeImages({ Owners: [publisher.owner], Filters }, options));
  const [image] = Images.sort(byDate);
  return image?.ImageId ? [{ name, id: image.ImageId, title: image.Name ?? name }] : [];
}

const byDate = (a: Image, b: Image) => (b.CreationDate ?? '').localeCompare(a.CreationDate ?? '');
