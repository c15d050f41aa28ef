import { type CredentialSource, defineProvider } from '../../sdk/index.js';
import { hetznerConfig } from './config.js';
import { VARIABLES } from './credentials.js';
import { IMAGES, isOwnImage } from './images.js';
import { PLANS, SIZES } from './plans.js';
import { REGIONS } from './zones.js';

const here: CredentialSource = { env: process.env, secret: async () => undefined };

/** Provider for Hetzner Cloud, where an account is a project. */
export const hetzner = defineProvider({
  name: 'hetzner',
  description: 'Servers of Hetzner Cloud',
  config: hetznerConfig,
  sizes: SIZES,
  plans: PLANS,
  images: { default: 'debian-12', supported: IMAGES },
  isOwnImage,
  regions: REGIONS,
  features: ['firewall', 'placement', 'address', 'network-range', 'existing-network', 'volume-growth', 'records'],
  variables: VARIABLES,
  account: ({ account = 'default' }) => account,

  connect: async (config, outside = here) => (await import('./connection.js')).connect(config, outside),
});
