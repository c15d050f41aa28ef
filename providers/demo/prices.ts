import type { Price } from '../../sdk/index.js';

export const euro = (hourly: number, monthly?: number): Price => ({ currency: 'EUR', hourly, ...(monthly ? { monthly } : {}) });

/** Invented prices: one with a monthly cap, one for a plan that is not sold everywhere, and an unknown one. */
export const PRICES: Record<string, Record<string, Price | null>> = {
  'demo-small': { 'demo-eu-1': euro(0.01, 6), 'demo-eu-2': euro(0.012), 'demo-us-1': euro(0.01) },
  'demo-medium': { 'demo-eu-1': euro(0.02, 12), 'demo-eu-2': euro(0.024), 'demo-us-1': euro(0.02) },
  'demo-large': { 'demo-eu-1': euro(0.04, 24), 'demo-eu-2': euro(0.048) },
  'demo-xlarge': { 'demo-eu-1': euro(0.08, 48), 'demo-eu-2': euro(0.096), 'demo-us-1': null },
};
