import { defineProvider } from '../../sdk/index.js';
import { demoConfig } from './config.js';
import { IMAGES } from './images.js';
import { SIZES } from './plans.js';
import { REGIONS } from './zones.js';

/** Provider without machines: an account in a file, with latency, failures, limits and a count of every effect. */
export const demo = defineProvider({
  name: 'demo',
  description: 'Simulated machines: an account in a file, for trials, tests and benchmarks',
  config: demoConfig,
  sizes: SIZES,
  plans: Object.values(SIZES),
  images: { default: 'debian-12', supported: IMAGES },
  regions: REGIONS,
  features: ['firewall', 'placement', 'address', 'network-range', 'existing-network', 'volume-growth'],

  account: ({ account }) => account,

  connect: async (config) => (await import('./connection.js')).connect(config),
});
