import type { ServerSpec } from '../definition/definition.js';
import type { ProviderOffer } from '../operation/provider-questions.js';
import type { Price } from './catalog.js';

/** Hours that a month is counted with where no monthly price is said. */
export const HOURS_A_MONTH = 730;

export interface Cost {
  /** ISO 4217. */
  currency: string;
  hourly: number;
  monthly: number;
}

/** One thing that a server is billed for. */
export interface CostPart extends Cost {
  what: 'plan' | 'boot disk' | 'volumes' | 'public IPv4 address' | 'firewall';
}

/** Cost of a server with all its parts. If a part is unknown, the reason. */
export type ServerCost = { server: string; provider: string; plan: string; zone?: string } & (
  | { cost: Cost; parts: CostPart[] }
  | { free: true }
  | { unknown: string }
);

/** Prices of an account: free, a list, or the reason why they are unknown. */
export type PriceList = { free: true } | { sold: ProviderOffer } | { unknown: string };

type Priced = Pick<ServerSpec, 'name' | 'provider' | 'plan' | 'zone' | 'volumes' | 'host' | 'address' | 'firewall'>;

/** Computes the cost of a server. An unknown part makes the cost unknown, and never counts as nothing. */
export function computeCost(spec: Priced, list: PriceList): ServerCost {
  const { name, provider, plan } = spec;
  const row = { server: name, provider, plan: plan.name };
  if (spec.host || 'free' in list) return { ...row, free: true };
  if ('unknown' in list) return { ...row, ...(spec.zone ? { zone: spec.zone } : {}), unknown: list.unknown };
  const { sold } = list;
  const zone = spec.zone ?? sold.defaultZone;
  const at = zone === undefined ? row : { ...row, zone };
  const known = sold.plans.find((one) => one.name === plan.name);
  if (!known) return { ...at, unknown: `the price list has no plan "${plan.name}"` };
  if (zone === undefined) return { ...at, unknown: 'it is not said where the server is to be' };
  const price = findPriceInZone(known.zones, zone);
  if (price === undefined) return { ...at, unknown: `it is not sold in ${zone}` };
  if (price === null) return { ...at, unknown: 'the price list does not say it' };
  const parts: CostPart[] = [part('plan', price)];
  for (const { what, amount, prices } of besides(spec, sold, known.bootDiskGiB)) {
    const one = prices && findPriceInZone(prices, zone);
    if (!one) return { ...at, unknown: `the price of its ${what} is not known` };
    if (one.currency !== price.currency) return { ...at, unknown: `its ${what} is sold in ${one.currency}` };
    parts.push(part(what, one, amount));
  }
  return { ...at, cost: parts.map(({ what: _, ...cost }) => cost).reduce(plus), parts };
}

interface Besides {
  what: CostPart['what'];
  amount: number;
  /** Absent where none are known. */
  prices?: Record<string, Price>;
}

/** Parts that are billed separately from the plan. */
function besides({ volumes, address, firewall }: Priced, sold: ProviderOffer, bootDiskGiB = 0): Besides[] {
  const { volumePrices, smallestVolumeGiB = 0, addOns = {} } = sold;
  const sizes = volumes.map(({ sizeGiB }) => Math.max(sizeGiB, smallestVolumeGiB));
  const billed = addOns.address?.of === 'all' || (addOns.address?.of === 'reserved' && address === 'reserved');
  const all: Besides[] = [
    { what: 'boot disk', amount: bootDiskGiB, prices: volumePrices },
    { what: 'volumes', amount: sizes.reduce((sum, size) => sum + size, 0), prices: volumePrices },
    { what: 'public IPv4 address', amount: billed ? 1 : 0, prices: addOns.address?.prices },
    { what: 'firewall', amount: firewall && addOns.firewall ? 1 : 0, prices: addOns.firewall },
  ];
  return all.filter(({ amount }) => amount > 0);
}

const part = (what: CostPart['what'], { currency, hourly, monthly = hourly * HOURS_A_MONTH }: Price, amount = 1): CostPart => ({
  what,
  currency,
  hourly: rounded(hourly * amount),
  monthly: rounded(monthly * amount),
});

/** By the zone itself, or by the region that it is in (`eu-central-1` for `eu-central-1a`). */
export function findPriceInZone<T>(prices: Readonly<Record<string, T>>, zone: string): T | undefined {
  if (Object.hasOwn(prices, zone)) return prices[zone];
  const region = Object.keys(prices).find((name) => zone.startsWith(name) && /^[a-z]$/.test(zone.slice(name.length)));
  return region === undefined ? undefined : prices[region];
}

const plus = (a: Cost, b: Cost): Cost => ({
  currency: a.currency,
  hourly: rounded(a.hourly + b.hourly),
  monthly: rounded(a.monthly + b.monthly),
});

/** To a hundred-millionth: finer than any price list. */
const rounded = (amount: number): number => Math.round(amount * 1e8) / 1e8;

/** Cost of several servers: a sum for each currency, and the number of servers with unknown costs. */
export interface CostSum {
  sums: Cost[];
  unknown: number;
}

export function sumCosts(costs: readonly ServerCost[]): CostSum {
  const sums = new Map<string, Cost>();
  for (const one of costs) {
    if (!('cost' in one)) continue;
    const { cost } = one;
    const before = sums.get(cost.currency);
    sums.set(cost.currency, before ? plus(before, cost) : cost);
  }
  const unknown = costs.filter((one) => 'unknown' in one).length;
  return { sums: [...sums.values()].sort((a, b) => (a.currency < b.currency ? -1 : 1)), unknown };
}

/** Cost of a server before and after an operation. Undefined if it does not exist. */
export interface CostChange {
  server: string;
  before?: ServerCost;
  after?: ServerCost;
}

/** How much more (or less) is paid after, for each currency; undefined where something in it is not known. */
export function diffCosts(changes: readonly CostChange[]): Cost[] | undefined {
  if (changes.some(({ before, after }) => [before, after].some((one) => one && 'unknown' in one))) return undefined;
  const minus = (cost: Cost): Cost => ({ ...cost, hourly: -cost.hourly, monthly: -cost.monthly });
  const all = changes.flatMap(({ before, after }): ServerCost[] => [
    ...(after ? [after] : []),
    ...(before && 'cost' in before ? [{ ...before, cost: minus(before.cost) }] : []),
  ]);
  return sumCosts(all).sums;
}

/** A price list's price as a person reads it: `0.0119 EUR`, `23.40 EUR`. */
export const hourlyText = ({ hourly, currency }: Pick<Price, 'hourly' | 'currency'>): string => `${hourly.toFixed(4)} ${currency}`;
export const monthlyText = ({ monthly, currency }: Pick<Cost, 'monthly' | 'currency'>): string =>
  `${monthly.toFixed(2)} ${currency}`;
