import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Plan } from '../../core/definition.js';
import { defineProvider, type Size } from '../../core/provider.js';
import { demoConfig, pathOf } from './config.js';
import { simulatedHost } from './host.js';
import { networkVerbs, volumeVerbs } from './networks.js';
import { listOwned } from './owned.js';
import { serverVerbs } from './servers.js';
import { demoStore } from './store.js';

const plan = (name: string, cores: number, memoryGiB: number): Plan => ({ name, cores, memoryMiB: memoryGiB * 1024, diskGiB: 20 });

const SIZES: Record<Size, Plan> = {
  small: plan('demo-small', 1, 2),
  medium: plan('demo-medium', 2, 4),
  large: plan('demo-large', 4, 8),
  xlarge: plan('demo-xlarge', 6, 16),
};

/** No machine at all: an account in a file, with latency, failures, limits and a count of every effect. */
export const demo = defineProvider({
  name: 'demo',
  description: 'No machines: an account in a file, for trying out, tests and benchmarks',
  config: demoConfig,
  sizes: SIZES,
  plans: Object.values(SIZES),
  images: { default: 'debian-12', supported: ['debian-12', 'debian-13', 'ubuntu-24.04'] },

  account: ({ account }) => account,

  async connect(config) {
    const path = pathOf(config);
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    const store = demoStore(path, config.settings);
    return {
      servers: serverVerbs(store, config.account),
      networks: networkVerbs(store),
      volumes: volumeVerbs(store),
      owned: ({ workspace, signal }) => listOwned(store, workspace, signal),
      host: (server) => simulatedHost(store, server),
    };
  },
});
