import type { Catalog } from '../../../sdk/index.js';
import { IMAGES } from '../images.js';
import { SIZES } from '../plans.js';
import { euro, PRICES } from '../prices.js';
import { ask } from '../store/calls.js';
import type { DemoStore } from '../store/store.js';
import { REGIONS, ZONES } from '../zones.js';

/** Creates the catalog of a demo account. */
export function createCatalog(store: DemoStore, account: string): Catalog {
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
