import type { Price } from '../../sdk/index.js';
import type { PriceItem, PriceZone } from './client/index.js';
import type { Cloud } from './cloud/cloud.js';
import { callPermitted } from './cloud/permitted.js';

/** A plan costs at most 28 days a month; storage, addresses and the like have no such limit. */
export const PLAN_HOURS_A_MONTH = 672;

export interface PriceList {
  zones: readonly PriceZone[];
  /** Undefined where this user may not know it. */
  currency?: string;
}

/** Prices are in hundredths of the account's currency, which the account's details alone say. */
export async function readPrices({ client }: Cloud, signal?: AbortSignal): Promise<PriceList> {
  const zones = await client.offer.prices({ signal });
  const { username } = await client.account.read({ signal });
  const details = await callPermitted(() => client.account.details(username, { signal }));
  return { zones, currency: 'value' in details ? details.value.currency : undefined };
}

/**
 * For one unit and hour. Null where it is not known: because of the currency, or since
 * a price of nothing stands in the list, as it does for zones that are not public.
 */
export function priceOf({ amount, price }: PriceItem, currency?: string, monthlyHours?: number): Price | null {
  if (!currency || !(price > 0) || !(amount > 0)) return null;
  // Without what dividing in binary adds.
  const hourly = Number((price / amount / 100).toFixed(9));
  return { currency, hourly, ...(monthlyHours && { monthly: Number((hourly * monthlyHours).toFixed(2)) }) };
}
