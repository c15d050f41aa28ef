import type { WantedServer } from '../../core/machine/provider.js';

export const QUEUE = 'bench-bare';

/** Returns the server that the batch's operations request from the provider, too. */
export const wantedOf = (name: string): WantedServer => ({
  name,
  role: 'web',
  plan: { name: 'demo-small', cores: 1, memoryMiB: 2048, diskGiB: 20 },
  image: 'debian-12',
  labels: {},
  volumes: [],
  network: 'bare',
});
