import { Refusal } from './answers.js';
import type { Routes } from './world.js';

/** Plans of the stand-in, with cores, MiB, GiB and price in euro cents per hour. */
export const PLANS: Record<string, { cores: number; memory: number; disk: number; price: number }> = {
  '1xCPU-1GB': { cores: 1, memory: 1024, disk: 25, price: 0.744 },
  '1xCPU-2GB': { cores: 1, memory: 2048, disk: 50, price: 1.488 },
  '2xCPU-4GB': { cores: 2, memory: 4096, disk: 80, price: 2.9761 },
  '4xCPU-8GB': { cores: 4, memory: 8192, disk: 160, price: 5.9523 },
  '6xCPU-16GB': { cores: 6, memory: 16384, disk: 320, price: 11.9047 },
};

export const ZONES: Record<string, string> = {
  'de-fra1': 'Frankfurt #1',
  'fi-hel1': 'Helsinki #1',
  'fi-hel2': 'Helsinki #2',
  'nl-ams1': 'Amsterdam #1',
  'pl-waw1': 'Warsaw #1',
  'uk-lon1': 'London #1',
  'us-nyc1': 'New York #1',
  'us-sjo1': 'San Jose #1',
  'sg-sin1': 'Singapore #1',
};

/** Made-up private zones of the account, each with the public zone in the same data center. */
export const PRIVATE_ZONES: Readonly<Record<string, string>> = { 'fi-stn2': 'fi-hel2', 'fi-stn3': 'fi-hel2' };

/** Made-up plans that a zone does not sell. */
const NOT_SOLD: Readonly<Record<string, readonly string[]>> = { 'us-sjo1': ['1xCPU-1GB'] };

const template = (uuid: string, title: string, size: number) => ({
  access: 'public',
  encrypted: 'no',
  labels: [],
  license: 0,
  size,
  state: 'online',
  template_type: 'cloud-init',
  title,
  type: 'template',
  uuid: `01000000-0000-4000-8000-${uuid}`,
});

export const TEMPLATES = [
  template('000020060100', 'Debian GNU/Linux 11 (Bullseye)', 3),
  template('000020070100', 'Debian GNU/Linux 12 (Bookworm)', 3),
  template('000020080100', 'Debian GNU/Linux 13 (Trixie)', 3),
  template('000030220200', 'Ubuntu Server 22.04 LTS (Jammy Jellyfish)', 4),
  template('000030240200', 'Ubuntu Server 24.04 LTS (Noble Numbat)', 4),
];

export const planNamed = (name: string) => {
  const plan = PLANS[name];
  if (!plan) throw new Refusal(400, 'PLAN_INVALID', `The plan ${name} does not exist.`);
  return plan;
};

export function assertZone(zone: string): void {
  if (zone === '') throw new Refusal(400, 'ZONE_MISSING', 'The required attribute zone is missing from the request.');
  if (!(zone in ZONES) && !(zone in PRIVATE_ZONES)) throw new Refusal(404, 'ZONE_NOT_FOUND', `The zone ${zone} does not exist.`);
}

/** Names of time zones. Node's list represents UpCloud's. */
const TIMEZONES = [...Intl.supportedValuesOf('timeZone').filter((name) => name !== 'UTC'), 'UTC'];

export const catalogRoutes: Routes = {
  'GET /1.3/account': ({ limits }) => ({
    status: 200,
    body: {
      account: {
        credits: 9972.2324,
        username: 'stand-in',
        resource_limits: {
          cores: limits.cores,
          detached_floating_ips: 10,
          memory: 1048576,
          networks: 100,
          public_ipv4: 100,
          public_ipv6: 100,
          storage_hdd: 10240,
          storage_maxiops: 10240,
          storage_ssd: 10240,
        },
      },
    },
  }),

  'GET /1.3/account/details/{}': (_, { ids }) => ({ status: 200, body: { account: { username: ids[0], currency: 'EUR' } } }),

  'GET /1.3/zone': () => ({
    status: 200,
    body: {
      zones: {
        zone: [
          ...Object.entries(ZONES).map(([id, description]) => ({ description, id, public: 'yes' })),
          ...Object.entries(PRIVATE_ZONES).map(([id, parent_zone]) => ({ description: id, id, parent_zone, public: 'no' })),
        ],
      },
    },
  }),

  'GET /1.3/timezone': () => ({ status: 200, body: { timezones: { timezone: TIMEZONES } } }),

  'GET /1.3/plan': () => ({
    status: 200,
    body: {
      plans: {
        plan: Object.entries(PLANS).map(([name, { cores, memory, disk }]) => ({
          core_number: cores,
          memory_amount: memory,
          name,
          public_traffic_out: memory,
          storage_size: disk,
          storage_tier: 'maxiops',
        })),
      },
    },
  }),

  'GET /1.3/price': () => ({
    status: 200,
    body: {
      prices: {
        zone: Object.keys(ZONES).map((name) => ({
          name,
          firewall: { amount: 1, price: 0.56 },
          ipv4_address: { amount: 1, price: 0.336 },
          ipv6_address: { amount: 1, price: 0 },
          server_core: { amount: 1, price: 1.12 },
          server_memory: { amount: 256, price: 0.14 },
          storage_maxiops: { amount: 1, price: 0.031 },
          ...Object.fromEntries(
            Object.entries(PLANS)
              .filter(([plan]) => !(NOT_SOLD[name] ?? []).includes(plan))
              .map(([plan, { price }]) => [`server_plan_${plan}`, { amount: 1, price }]),
          ),
        })),
      },
    },
  }),

  'GET /1.3/storage/template': () => ({ status: 200, body: { storages: { storage: TEMPLATES } } }),
};
