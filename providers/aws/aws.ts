import { defineProvider } from '../../core/provider.js';
import { openAccount } from './account.js';
import { adopt } from './adopt.js';
import { backupVerbs } from './backups.js';
import { catalogOf } from './catalog.js';
import { awsConfig } from './config.js';
import { profilesIn, VARIABLES } from './credentials.js';
import { isOwnImage, PUBLISHERS } from './images.js';
import { infraRegions } from './infra-regions.js';
import { networkVerbs } from './networks.js';
import { deleteOther } from './others.js';
import { listOwned } from './owned.js';
import { PLANS, planNamed, SIZES } from './plans.js';
import { REGIONS } from './regions.js';
import { serverVerbs } from './servers.js';
import { listStrangers } from './strangers.js';
import { volumeVerbs } from './volumes.js';

/** Instances of Amazon EC2, in VPCs. */
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
  features: ['firewall', 'placement', 'address', 'network-range', 'existing-network', 'volume-growth'],
  variables: VARIABLES,
  accounts: profilesIn,
  account: ({ account = 'default' }) => account,

  async connect(config, outside = { env: process.env, secret: async () => undefined }) {
    const account = await openAccount(config, outside);
    const regions = infraRegions(account);
    const { power, console, ...servers } = serverVerbs(account, regions);
    return {
      servers,
      power,
      console,
      networks: networkVerbs(account, regions),
      volumes: volumeVerbs(account, regions),
      owned: (context) => listOwned(account, context),
      strangers: (signal) => listStrangers(account, signal),
      adopt: (id, name, context) => adopt(account, regions, { id, name }, context),
      backups: backupVerbs(account, regions),
      others: { delete: (kind, name, context) => deleteOther(account, regions, { kind, name }, context) },
      catalog: catalogOf(account, await account.homeName()),
    };
  },
});
