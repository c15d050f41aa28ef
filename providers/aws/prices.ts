import type { Filter } from '@aws-sdk/client-pricing';
import type { Price } from '../../sdk/index.js';
import type { Account } from './ec2/account.js';
import type { Purpose } from './ec2/region.js';
import { translate } from './errors.js';

/** Region that serves the price list of all regions. */
const SERVED_FROM = 'us-east-1';
const ANSWER_S = 30;
const HOURS = 730;
const IN_REGION = 'AWS Region';

/** On-demand prices of Linux, by instance type and region. */
export type PriceList = Map<string, Map<string, Price>>;

interface Product {
  product?: { attributes?: Record<string, string> };
  terms?: {
    OnDemand?: Record<string, { priceDimensions?: Record<string, { unit?: string; pricePerUnit?: Record<string, string> }> }>;
  };
}

export interface Prices {
  /**
   * Prices of all types in one region, and of some types in all regions. A missing type or region has no known price.
   */
  instances(region: string, types: readonly string[], purpose: Purpose): Promise<PriceList>;
  /** Hourly price per GiB of gp3, by region. */
  volumes(purpose: Purpose): Promise<Record<string, Price>>;
  /** Price of a public IPv4 address in use, by region. */
  addresses(purpose: Purpose): Promise<Record<string, Price>>;
  /** Throws if the account may not read prices. */
  probe(purpose: Purpose): Promise<void>;
}

/** Opens AWS's price list. */
export async function openPrices({ settings }: Account): Promise<Prices> {
  const { Pricing } = await import('@aws-sdk/client-pricing');
  const { maxAttempts, requestHandler, endpoint, credentials, profile } = settings;
  const client = new Pricing({
    region: SERVED_FROM,
    ...{ maxAttempts, requestHandler },
    ...(endpoint ? { endpoint } : {}),
    ...(credentials ? { credentials } : {}),
    ...(profile ? { profile } : {}),
  });

  const products = async (
    match: Record<string, string>,
    { what, on, signal }: Purpose,
    { MaxResults = 100, ServiceCode = 'AmazonEC2' } = {},
  ): Promise<Product[]> => {
    const Filters: Filter[] = Object.entries(match).map(([Field, Value]) => ({ Type: 'TERM_MATCH', Field, Value }));
    const all: Product[] = [];
    let NextToken: string | undefined;
    do {
      const limit = AbortSignal.timeout(ANSWER_S * 1_000);
      const options = { abortSignal: signal ? AbortSignal.any([signal, limit]) : limit };
      const page = await client
        .getProducts({ ServiceCode, Filters, MaxResults, ...(NextToken ? { NextToken } : {}) }, options)
        .catch((error: unknown) => {
          signal?.throwIfAborted();
          throw translate(what, on, limit.aborted ? limit.reason : error, ANSWER_S);
        });
      all.push(...(page.PriceList ?? []).map((text: unknown) => JSON.parse(String(text)) as Product));
      NextToken = page.NextToken || undefined;
    } while (NextToken && MaxResults > 1);
    return all;
  };
  const linux = { operatingSystem: 'Linux', tenancy: 'Shared', preInstalledSw: 'NA', capacitystatus: 'Used' };

  return {
    async instances(regionCode, types, purpose) {
      const list: PriceList = new Map();
      const answers = [{ regionCode }, ...types.map((instanceType) => ({ instanceType }))].map((match) =>
        products({ ...linux, ...match }, purpose),
      );
      for (const product of (await Promise.all(answers)).flat()) {
        const { instanceType, regionCode: region, locationType = IN_REGION } = product.product?.attributes ?? {};
        const price = hourly(product, 'Hrs', 1);
        // Local zones have their own prices.
        if (!instanceType || !region || !price || locationType !== IN_REGION) continue;
        list.set(instanceType, (list.get(instanceType) ?? new Map()).set(region, price));
      }
      return list;
    },

    async volumes(purpose) {
      const found = await products({ productFamily: 'Storage', volumeApiName: 'gp3' }, purpose);
      return byRegion(found, 'GB-Mo', HOURS);
    },

    async addresses(purpose) {
      const found = await products({ group: 'VPCPublicIPv4Address' }, purpose, { ServiceCode: 'AmazonVPC' });
      const inUse = found.filter(({ product }) => product?.attributes?.usagetype?.endsWith('PublicIPv4:InUseAddress'));
      return byRegion(inUse, 'Hrs', 1);
    },

    async probe(purpose) {
      await products({ ...linux, instanceType: 't3.small' }, purpose, { MaxResults: 1 });
    },
  };
}

function byRegion(found: readonly Product[], unit: string, hours: number): Record<string, Price> {
  const rows = found.flatMap((product) => {
    const { regionCode, locationType = IN_REGION } = product.product?.attributes ?? {};
    const price = hourly(product, unit, hours);
    return regionCode && price && locationType === IN_REGION ? [[regionCode, price] as const] : [];
  });
  return Object.fromEntries(rows);
}

/** Returns undefined without a price above zero, such as for reserved capacity. */
function hourly({ terms }: Product, unit: string, hours: number): Price | undefined {
  const dimensions = Object.values(terms?.OnDemand ?? {}).flatMap(({ priceDimensions = {} }) => Object.values(priceDimensions));
  const prices = dimensions.filter((one) => one.unit === unit).flatMap(({ pricePerUnit = {} }) => Object.entries(pricePerUnit));
  const [currency = '', amount = '0'] = prices.find(([, value]) => Number(value) > 0) ?? [];
  return currency ? { currency, hourly: Number(amount) / hours, ...(hours > 1 ? { monthly: Number(amount) } : {}) } : undefined;
}
