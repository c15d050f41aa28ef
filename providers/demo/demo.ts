import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { defineProvider } from '../../core/provider.js';
import { listStrangers } from './adoption.js';
import { backupVerbs } from './backups.js';
import { catalogOf, IMAGES, REGIONS, SIZES } from './catalog.js';
import { demoConfig, pathOf } from './config.js';
import { simulatedHost } from './host.js';
import { networkVerbs, volumeVerbs } from './networks.js';
import { otherVerbs } from './others.js';
import { listOwned } from './owned.js';
import { serverVerbs } from './servers.js';
import { demoStore } from './store.js';

/** No machine at all: an account in a file, with latency, failures, limits and a count of every effect. */
export const demo = defineProvider({
  name: 'demo',
  description: 'No machines: an account in a file, for trying out, tests and benchmarks',
  config: demoConfig,
  sizes: SIZES,
  plans: Object.values(SIZES),
  images: { default: 'debian-12', supported: IMAGES },
  regions: REGIONS,
  features: ['firewall', 'placement', 'address', 'network-range', 'existing-network', 'volume-growth'],

  account: ({ account }) => account,

  async connect(config) {
    const path = pathOf(config);
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    const store = demoStore(path, config.settings);
    const { adopt, power, ...servers } = serverVerbs(store, config.account);
    return {
      servers,
      power,
      adopt,
      strangers: (signal) => listStrangers(store, signal),
      networks: networkVerbs(store),
      volumes: volumeVerbs(store),
      others: otherVerbs(store),
      backups: backupVerbs(store),
      catalog: catalogOf(store, config.account),
      owned: ({ workspace, signal }) => listOwned(store, workspace, signal),
      host: (server) => simulatedHost(store, server),
    };
  },
});
