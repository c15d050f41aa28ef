/** Some of AWS's public prices: on demand, Linux, in dollars per hour. Missing types have no price. */
const PRICES: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  'us-east-1': {
    't3.micro': 0.0104,
    't3.small': 0.0208,
    't3.medium': 0.0416,
    't3.large': 0.0832,
    't3.xlarge': 0.1664,
    'm6i.large': 0.096,
  },
  'eu-central-1': {
    't3.micro': 0.012,
    't3.small': 0.024,
    't3.medium': 0.048,
    't3.large': 0.096,
    't3.xlarge': 0.192,
    'm6i.large': 0.115,
  },
  'eu-north-1': { 't3.small': 0.0216, 't3.medium': 0.0432, 't3.large': 0.0864, 't3.xlarge': 0.1728 },
};

/** Dollars per GiB of gp3 and month. */
const VOLUMES: Readonly<Record<string, number>> = { 'us-east-1': 0.08, 'eu-central-1': 0.0952, 'eu-north-1': 0.0836 };

const product = (attributes: Record<string, string>, unit: string, usd: number) =>
  JSON.stringify({
    product: { attributes },
    terms: { OnDemand: { term: { priceDimensions: { dimension: { unit, pricePerUnit: { USD: usd.toFixed(10) } } } } } },
  });

const ALL = [
  ...Object.entries(PRICES).flatMap(([regionCode, types]) =>
    Object.entries(types).map(([instanceType, usd]) => ({
      attributes: {
        instanceType,
        regionCode,
        operatingSystem: 'Linux',
        tenancy: 'Shared',
        preInstalledSw: 'NA',
        capacitystatus: 'Used',
      } as Record<string, string>,
      ...{ unit: 'Hrs', usd },
    })),
  ),
  ...Object.entries(VOLUMES).map(([regionCode, usd]) => ({
    attributes: { productFamily: 'Storage', volumeApiName: 'gp3', regionCode } as Record<string, string>,
    ...{ unit: 'GB-Mo', usd },
  })),
];

/** Dollars per hour of a public IPv4 address, the same in all regions. */
const ADDRESS = 0.005;
const ADDRESSES = ['us-east-1', 'eu-central-1', 'eu-north-1'].flatMap((regionCode) =>
  ['InUseAddress', 'IdleAddress'].map((state) => ({
    attributes: { group: 'VPCPublicIPv4Address', usagetype: `${regionCode}-PublicIPv4:${state}`, regionCode } as Record<
      string,
      string
    >,
    ...{ unit: 'Hrs', usd: ADDRESS },
  })),
);

interface Query {
  ServiceCode?: string;
  Filters?: { Type: string; Field: string; Value: string }[];
  MaxResults?: number;
  NextToken?: string;
}

/** Implements `GetProducts` of AWS's price list service, in pages. */
export function getProducts({ ServiceCode, Filters = [], MaxResults = 100, NextToken = '0' }: Query): {
  PriceList: string[];
  NextToken?: string;
} {
  const found = (ServiceCode === 'AmazonVPC' ? ADDRESSES : ALL).filter(({ attributes }) =>
    Filters.every(({ Field, Value }) => attributes[Field] === Value),
  );
  const end = Number(NextToken) + MaxResults;
  return {
    PriceList: found.slice(Number(NextToken), end).map(({ attributes, unit, usd }) => product(attributes, unit, usd)),
    ...(end < found.length ? { NextToken: String(end) } : {}),
  };
}
