import type { Catalog } from '../../../sdk/index.js';
import { image, location, serverType } from '../api/shapes.js';
import { IMAGES } from '../images.js';
import { HOURS_A_MONTH, priceOf, readPrices } from '../prices.js';
import type { Project } from '../project/project.js';
import { SMALLEST_VOLUME } from '../volumes.js';
import { DEFAULT_LOCATION, REGIONS } from '../zones.js';
import { checkProject } from './check.js';

/** Creates the catalog: the vendor's present offer, as available to the project. */
export function createCatalog(project: Project): Catalog {
  const { api } = project;
  const about = (what: string, signal?: AbortSignal) => ({ what, on: 'Hetzner Cloud', signal });

  return {
    defaultZone: DEFAULT_LOCATION,
    smallestVolumeGiB: SMALLEST_VOLUME,

    async plans(signal) {
      const [types, { currency, server_types }] = await Promise.all([
        api.list(serverType, 'server_types', {}, about('list the plans', signal)),
        readPrices(project, signal),
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
        readPrices(project, signal),
      ]);
      const monthly = Number(volume.price_per_gb_month.net);
      return Object.fromEntries(rows.map(({ name }) => [name, { currency, hourly: monthly / HOURS_A_MONTH, monthly }]));
    },

    async addOns(signal) {
      const { currency, primary_ips } = await readPrices(project, signal);
      const rows = primary_ips.find(({ type }) => type === 'ipv4')?.prices ?? [];
      return { address: { of: 'all', prices: Object.fromEntries(rows.map((row) => [row.location, priceOf(currency, row)])) } };
    },

    check: (signal) => checkProject(project, signal),
  };
}
