import type { WantedServer } from '../../core/machine/provider.js';

export const QUEUE = 'bench-bare';

/** What the batch's operations ask the provider for, too. */
export const wantedOf = (name: string): WantedServer => ({
  name,
  role: 'web',
  plan: { name: 'demo-small', cores: 1, memoryMiB: 2048, diskGiB: 20 },
  image: 'debian-12',
  labels: {},
  volumes: [],
  network: 'bare',
});
