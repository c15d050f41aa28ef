import { defineProvider } from '../../sdk/index.js';
import { awsConfig } from './config.js';
import { profilesIn, VARIABLES } from './credentials.js';
import { isOwnImage, PUBLISHERS } from './images.js';
import { PLANS, planNamed, SIZES } from './plans.js';
import { REGIONS } from './zones.js';

/** Provider for Amazon EC2: instances in VPCs. */
export const aws = defineProvider({
  name: 'aws',
  description: 'Instances of Amazon EC2',
  config: awsConfig,
  sizes: SIZES,
  plans: PLANS,
  planNamed,
  images: { default: 'debian-12', supported: Object.keys(PUBLISHERS) },
  isOwnImage,
  regions: REGIONS,
  features: ['firewall', 'placement', 'address', 'network-range', 'existing-network', 'volume-growth', 'records'],
  variables: VARIABLES,
  accounts: profilesIn,
  account: ({ account = 'default' }) => account,

  connect: async (config, outside = { env: process.env, secret: async () => undefined }) =>
    (await import('./connection.js')).connect(config, outside),
});
