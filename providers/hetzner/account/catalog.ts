import * as z from 'zod';
import type { Catalog, Price } from '../../../sdk/index.js';
import { image, location, page, pricing, serverType } from '../api/shapes.js';
import { DEFAULT_LOCATION } from '../config.js';
import { IMAGES, REGIONS } from '../plans.js';
import { FIELDS, type Project } from '../project/project.js';
import { SMALLEST_VOLUME } from '../servers/describe.js';

const HOURS_A_MONTH = 730;

/** What the vendor sells today, and what the project has of it. */
export function catalogOf(project: Project): Catalog {
  const { api } = project;
  const about = (what: string, signal?: AbortSignal) => ({ what, on: 'Hetzner Cloud', signal });
  const prices = async (signal?: AbortSignal) =>
    (await api.get(z.object({ pricing }), 'pricing', {}, about('read the prices', signal))).pricing;

  return {
    defaultZone: DEFAULT_LOCATION,
    smallestVolumeGiB: SMALLEST_VOLUME,

    async plans(signal) {
      const [types, { currency, server_types }] = await Promise.all([
        api.list(serverType, 'server_types', {}, about('list the plans', signal)),
        prices(signal),
      ]);
      const priced = new Map(server_types.map(({ name, prices: rows }) => [name, rows]));
      return types.map(({ name, cores, memory, disk, locations, prices: own }) => {
        const known = new Map((priced.get(name) ?? own).map((row) => [row.location, priceOf(currency, row)]));
        const today = new Date().toISOString();
        const sold = locations.filter(({ deprecation }) => !deprecation || deprecation.unavailable_after > today);
        const zones = sold.length > 0 ? sold.map((one) => one.name) : [...known.keys()];
        return {
          name,
          cores,
          memoryMiB: Math.round(memory * 1024),
          diskGiB: disk,
          zones: Object.fromEntries(zones.map((zone) => [zone, known.get(zone) ?? null])),
        };
      });
    },

    async images(signal) {
      const query = { type: 'system', status: 'available', architecture: 'x86' };
      const rows = await api.list(image, 'images', query, about('list the images', signal));
      const first = (name: string | null) => ((IMAGES as readonly string[]).includes(name ?? '') ? 0 : 1);
      return rows
        .filter(({ deprecated }) => deprecated === null)
        .sort((a, b) => first(a.name) - first(b.name) || (a.name ?? '').localeCompare(b.name ?? ''))
        .map(({ id, name, description }) => ({ name: name ?? String(id), id: String(id), title: description }));
    },

    async zones(signal) {
      const rows = await api.list(location, 'locations', {}, about('list the zones', signal));
      const regions = new Map(Object.entries(REGIONS).map(([region, zone]) => [zone, region]));
      return rows.map(({ name, city, country }) => {
        const region = regions.get(name);
        return { name, title: `${city}, ${country}`, ...(region ? { region } : {}) };
      });
    },

    async volumePrices(signal) {
      const [rows, { currency, volume }] = await Promise.all([
        api.list(location, 'locations', {}, about('list the zones', signal)),
        prices(signal),
      ]);
      const monthly = Number(volume.price_per_gb_month.net);
      return Object.fromEntries(rows.map(({ name }) => [name, { currency, hourly: monthly / HOURS_A_MONTH, monthly }]));
    },

    async addOns(signal) {
      const { currency, primary_ips } = await prices(signal);
      const rows = primary_ips.find(({ type }) => type === 'ipv4')?.prices ?? [];
      return { address: { of: 'all', prices: Object.fromEntries(rows.map((row) => [row.location, priceOf(currency, row)])) } };
    },

    async check(signal) {
      const counted = ['server', 'network', 'volume', 'address', 'firewall', 'placement'] as const;
      const used = await Promise.all(
        counted.map(async (kind) => {
          const asked = about(`count the ${FIELDS[kind].replace('_', ' ')}`, signal);
          return (await api.get(page, FIELDS[kind], { per_page: 1 }, asked)).meta.pagination.total_entries ?? undefined;
        }),
      );
      const requests = api.budget.known();
      return {
        identity: `the project that the token belongs to (the API does not say its name), with ${used[0] ?? 'unknown'} servers`,
        abilities: [
          { what: 'read', allowed: true },
          { what: 'make, change and delete', why: 'only the first change tells a token for reading from one for both' },
        ],
        limits: [
          ...(requests ? [{ what: 'requests an hour', used: requests.limit - requests.remaining, limit: requests.limit }] : []),
          ...counted.map((kind, index) => ({ what: FIELDS[kind].replace('_', ' '), used: used[index] })),
        ],
      };
    },
  };
}

const priceOf = (currency: string, row: { price_hourly: { net: string }; price_monthly: { net: string } }): Price => ({
  currency,
  hourly: Number(row.price_hourly.net),
  // The vendor never takes more for a month.
  monthly: Number(row.price_monthly.net),
});
