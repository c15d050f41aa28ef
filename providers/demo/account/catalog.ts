import type { Catalog, Price } from '../../../sdk/index.js';
import { IMAGES, REGIONS, SIZES, ZONES } from '../plans.js';
import { ask } from '../store/calls.js';
import type { DemoStore } from '../store/store.js';

const euro = (hourly: number, monthly?: number): Price => ({ currency: 'EUR', hourly, ...(monthly ? { monthly } : {}) });

/** Made up, as all of this: one with a cap by the month, one not sold everywhere, one whose price nobody knows. */
const PRICES: Record<string, Record<string, Price | null>> = {
  'demo-small': { 'demo-eu-1': euro(0.01, 6), 'demo-eu-2': euro(0.012), 'demo-us-1': euro(0.01) },
  'demo-medium': { 'demo-eu-1': euro(0.02, 12), 'demo-eu-2': euro(0.024), 'demo-us-1': euro(0.02) },
  'demo-large': { 'demo-eu-1': euro(0.04, 24), 'demo-eu-2': euro(0.048) },
  'demo-xlarge': { 'demo-eu-1': euro(0.08, 48), 'demo-eu-2': euro(0.096), 'demo-us-1': null },
};

/** What a demo account sells. */
export function catalogOf(store: DemoStore, account: string): Catalog {
  const answer = <T>(name: string, value: T, signal?: AbortSignal) =>
    ask(store, { verb: 'catalog', name, signal }, () => structuredClone(value));
  return {
    defaultZone: ZONES[0],
    plans: (signal) =>
      answer(
        'plans',
        Object.values(SIZES).map((size) => ({ ...size, zones: PRICES[size.name] ?? {} })),
        signal,
      ),
    images: (signal) =>
      answer(
        'images',
        IMAGES.map((name) => ({ name, id: `demo-${name}`, title: `${name}, of which nothing runs` })),
        signal,
      ),
    zones: (signal) =>
      answer(
        'zones',
        Object.entries(REGIONS).map(([region, name]) => ({ name, title: `Nowhere in ${region}`, region })),
        signal,
      ),
    volumePrices: (signal) => answer('volumePrices', Object.fromEntries(ZONES.map((zone) => [zone, euro(0.0001)])), signal),
    check: (signal) =>
      ask(store, { verb: 'catalog', name: 'check', signal }, ({ servers, networks, settings: { limits } }) => ({
        identity: `demo account "${account}"`,
        abilities: [{ what: 'make servers, networks and volumes', allowed: true }],
        limits: [
          {
            what: 'servers',
            used: Object.keys(servers).length,
            ...(limits.servers === undefined ? {} : { limit: limits.servers }),
          },
          { what: 'networks', used: Object.keys(networks).length },
          ...(limits.callsPerSecond === undefined ? [] : [{ what: 'calls a second', limit: limits.callsPerSecond }]),
        ],
      })),
  };
}
