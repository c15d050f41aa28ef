import { defineProvider, type Outside } from '../../core/provider.js';
import { openApi } from './api.js';
import { catalogOf } from './catalog.js';
import { endpointOf, hetznerConfig, tokenOf } from './config.js';
import { networkVerbs } from './networks.js';
import { listOwned, removeOther } from './owned.js';
import { IMAGES, isOwnImage, PLANS, REGIONS, SIZES } from './plans.js';
import { openProject } from './project.js';
import { serverVerbs } from './servers.js';
import { adoptServer, listStrangers } from './strangers.js';
import { volumeVerbs } from './volumes.js';

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

  async connect(config, outside = here) {
    const api = openApi({ endpoint: endpointOf(config, outside), token: await tokenOf(config, outside) });
    const project = openProject(api, config.pollMs);
    const { power, ...servers } = serverVerbs(project);
    return {
      servers,
      power,
      networks: networkVerbs(project),
      volumes: volumeVerbs(project),
      owned: ({ workspace, setup, signal }) => listOwned(project, workspace, setup, signal),
      others: { delete: (kind, name, context) => removeOther(project, kind, name, context) },
      catalog: catalogOf(project),
      strangers: (signal) => listStrangers(project, signal),
      adopt: (id, name, context) => adoptServer(project, id, name, context),
    };
  },
});
