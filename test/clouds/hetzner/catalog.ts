import { PLANS } from '../../../providers/hetzner/plans.js';
import type { Routes } from './world.js';
import { invalid } from './world.js';

const LOCATIONS = [
  {
    id: 1,
    name: 'fsn1',
    description: 'Falkenstein DC Park 1',
    country: 'DE',
    city: 'Falkenstein',
    latitude: 50.47612,
    longitude: 12.370071,
    network_zone: 'eu-central',
  },
  {
    id: 2,
    name: 'nbg1',
    description: 'Nuremberg DC Park 1',
    country: 'DE',
    city: 'Nuremberg',
    latitude: 49.452102,
    longitude: 11.076665,
    network_zone: 'eu-central',
  },
  {
    id: 3,
    name: 'hel1',
    description: 'Helsinki DC Park 1',
    country: 'FI',
    city: 'Helsinki',
    latitude: 60.169855,
    longitude: 24.938379,
    network_zone: 'eu-central',
  },
  {
    id: 4,
    name: 'ash',
    description: 'Ashburn, VA',
    country: 'US',
    city: 'Ashburn, VA',
    latitude: 39.045821,
    longitude: -77.487073,
    network_zone: 'us-east',
  },
  {
    id: 5,
    name: 'hil',
    description: 'Hillsboro, OR',
    country: 'US',
    city: 'Hillsboro, OR',
    latitude: 45.54222,
    longitude: -122.951924,
    network_zone: 'us-west',
  },
  {
    id: 6,
    name: 'sin',
    description: 'Singapore',
    country: 'SG',
    city: 'Singapore',
    latitude: 1.283333,
    longitude: 103.833333,
    network_zone: 'ap-southeast',
  },
];

const EUROPE = ['fsn1', 'nbg1', 'hel1'];
const ALL = LOCATIONS.map(({ name }) => name);
/** Returns the locations that sell a line of plans. */
const sold = (name: string): string[] => (/^(cx\d|cax)/.test(name) ? EUROPE : /^cpx\d[2]/.test(name) ? EUROPE : ALL);

/** Made-up prices with realistic relations: larger plans cost more, and a month is capped below 730 hours. */
const price = (location: string, euros: number) => ({
  location,
  price_hourly: amount(euros / 600),
  price_monthly: amount(euros),
  price_per_tb_traffic: amount(1),
  included_traffic: 20 * 1024 ** 4,
});
const amount = (net: number) => ({ net: net.toFixed(10), gross: (net * 1.19).toFixed(16) });

const SERVER_TYPES = PLANS.map(({ name, cores, memoryMiB, diskGiB }, index) => ({
  id: 100 + index,
  name,
  description: name.toUpperCase(),
  cores,
  memory: memoryMiB / 1024,
  disk: diskGiB,
  deprecated: false,
  deprecation: null,
  prices: sold(name).map((location) => price(location, cores + memoryMiB / 2048)),
  storage_type: 'local',
  cpu_type: name.startsWith('ccx') ? 'dedicated' : 'shared',
  category: name.startsWith('ccx') ? 'General Purpose' : 'Cost Optimized',
  architecture: name.startsWith('cax') ? 'arm' : 'x86',
  locations: sold(name).map((location) => ({
    id: LOCATIONS.find((one) => one.name === location)?.id ?? 0,
    name: location,
    deprecation: null,
  })),
}));

const IMAGES = [
  ['debian-11', 'Debian 11', 'debian', '11'],
  ['debian-12', 'Debian 12', 'debian', '12'],
  ['debian-13', 'Debian 13', 'debian', '13'],
  ['ubuntu-22.04', 'Ubuntu 22.04', 'ubuntu', '22.04'],
  ['ubuntu-24.04', 'Ubuntu 24.04', 'ubuntu', '24.04'],
  ['rocky-9', 'Rocky Linux 9', 'rocky', '9'],
].map(([name = '', description = '', os_flavor = '', os_version = ''], index) => ({
  id: 1000 + index,
  type: 'system',
  status: 'available',
  name,
  description,
  image_size: null,
  disk_size: 5,
  created: '2024-01-01T00:00:00Z',
  created_from: null,
  bound_to: null,
  os_flavor,
  os_version,
  rapid_deploy: true,
  protection: { delete: false },
  deprecated: null,
  deleted: null,
  labels: {},
  architecture: 'x86',
}));

export function locationNamed(name: unknown) {
  const found = LOCATIONS.find((one) => one.name === name || String(one.id) === name);
  if (!found) throw invalid(`location '${name}' not found`, 'location');
  return found;
}

export function typeNamed(name: unknown) {
  const found = SERVER_TYPES.find((one) => one.name === name || String(one.id) === name);
  if (!found) throw invalid(`server type '${name}' not found`, 'server_type');
  return found;
}

export function imageNamed(name: unknown) {
  const found = IMAGES.find((one) => one.name === name || String(one.id) === name);
  if (!found) throw invalid(`image '${name}' not found`, 'image');
  return found;
}

/** Returns the requested page of a list. */
export function paged(field: string, rows: readonly unknown[], query: URLSearchParams) {
  const per_page = Math.min(50, Number(query.get('per_page') ?? 25));
  const page = Number(query.get('page') ?? 1);
  const last_page = Math.max(1, Math.ceil(rows.length / per_page));
  const pagination = {
    page,
    per_page,
    previous_page: page > 1 ? page - 1 : null,
    next_page: page < last_page ? page + 1 : null,
    last_page,
    total_entries: rows.length,
  };
  return { status: 200, body: { [field]: rows.slice((page - 1) * per_page, page * per_page), meta: { pagination } } };
}

const by = (query: URLSearchParams, name: string) => (row: object) =>
  query.get(name) === null || (row as Record<string, unknown>)[name] === query.get(name);

export const catalogRoutes: Routes = {
  'GET /v1/locations': (_, { query }) => paged('locations', LOCATIONS.filter(by(query, 'name')), query),
  'GET /v1/server_types': (_, { query }) => paged('server_types', SERVER_TYPES.filter(by(query, 'name')), query),
  'GET /v1/images': (_, { query }) =>
    paged(
      'images',
      IMAGES.filter((row) => ['name', 'type', 'status', 'architecture'].every((name) => by(query, name)(row))),
      query,
    ),
  'GET /v1/pricing': () => ({
    status: 200,
    body: {
      pricing: {
        currency: 'EUR',
        vat_rate: '19.00',
        image: { price_per_gb_month: amount(0.011) },
        floating_ip: { price_monthly: amount(3) },
        floating_ips: [],
        primary_ips: [
          { type: 'ipv4', prices: ALL.map((location) => ({ location, price_hourly: amount(0.0008), price_monthly: amount(0.5) })) },
        ],
        server_backup: { percentage: '20.00' },
        server_types: SERVER_TYPES.map(({ id, name, prices }) => ({ id, name, prices })),
        load_balancer_types: [],
        volume: { price_per_gb_month: amount(0.044) },
      },
    },
  }),
};
