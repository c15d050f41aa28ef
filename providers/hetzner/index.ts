import { defineProvider, type Outside } from '../../sdk/index.js';
import { hetznerConfig } from './config.js';
import { IMAGES, isOwnImage, PLANS, REGIONS, SIZES } from './plans.js';

const here: Outside = { env: process.env, secret: async () => undefined };

/** Servers of Hetzner Cloud. An account is a project there. */
export const hetzner = defineProvider({
  name: 'hetzner',
  description: 'Servers of Hetzner Cloud',
  config: hetznerConfig,
  sizes: SIZES,
  plans: PLANS,
  images: { default: 'debian-12', supported: IMAGES },
  isOwnImage,
  regions: REGIONS,
  features: ['firewall', 'placement', 'address', 'network-range', 'existing-network', 'volume-growth'],
  variables: { HCLOUD_TOKEN: 'token' },
  account: ({ account = 'default' }) => account,

  connect: async (config, outside = here) => (await import('./connection.js')).connect(config, outside),
});
