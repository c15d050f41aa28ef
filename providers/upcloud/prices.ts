import type { Price } from '../../sdk/index.js';
import type { PriceItem, PriceZone } from './client/index.js';
import type { Cloud } from './cloud/cloud.js';
import { callPermitted } from './cloud/permitted.js';

/** A plan costs at most 28 days per month; storage and addresses have no such limit. */
export const PLAN_HOURS_A_MONTH = 672;

export interface PriceList {
  zones: readonly PriceZone[];
  /** Undefined if this user may not read it. */
  currency?: string;
}

/** Reads the prices, in hundredths of the account's currency. Only the account's details contain the currency. */
export async function readPrices({ client }: Cloud, signal?: AbortSignal): Promise<PriceList> {
  const zones = await client.offer.prices({ signal });
  const { username } = await client.account.read({ signal });
  const details = await callPermitted(() => client.account.details(username, { signal }));
  return { zones, currency: 'value' in details ? details.value.currency : undefined };
}

/**
 * Returns the price of one unit per hour; null if it is unknown. This is the case without a currency, or if the list
 * has a price of zero, as it does for private zones.
 */
export function priceOf({ amount, price }: PriceItem, currency?: string, monthlyHours?: number): Price | null {
  if (!currency || !(price > 0) || !(amount > 0)) return null;
  // Removes rounding errors of binary division.
  const hourly = Number((price / amount / 100).toFixed(9));
  return { currency, hourly, ...(monthlyHours && { monthly: Number((hourly * monthlyHours).toFixed(2)) }) };
}
