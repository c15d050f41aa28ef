import * as z from 'zod';
import type { Price } from '../../sdk/index.js';
import { pricing } from './api/shapes.js';
import type { Project } from './project/project.js';

export const HOURS_A_MONTH = 730;

/** Returns today's prices, in the currency of the project. */
export const readPrices = async ({ api }: Project, signal?: AbortSignal): Promise<z.infer<typeof pricing>> => {
  const about = { what: 'read the prices', on: 'Hetzner Cloud', signal };
  return (await api.get(z.object({ pricing }), 'pricing', {}, about)).pricing;
};

export const priceOf = (currency: string, row: { price_hourly: { net: string }; price_monthly: { net: string } }): Price => ({
  currency,
  hourly: Number(row.price_hourly.net),
  // The vendor never charges more for a month.
  monthly: Number(row.price_monthly.net),
});
