import type { Plan, Size } from '../../sdk/index.js';

const plan = (name: string, cores: number, memoryGiB: number): Plan => ({ name, cores, memoryMiB: memoryGiB * 1024, diskGiB: 20 });

export const SIZES: Record<Size, Plan> = {
  small: plan('demo-small', 1, 2),
  medium: plan('demo-medium', 2, 4),
  large: plan('demo-large', 4, 8),
  xlarge: plan('demo-xlarge', 6, 16),
};

export const IMAGES = ['debian-12', 'debian-13', 'ubuntu-24.04'] as const;

/** The zone of each region; the first is where a server goes that names none. */
export const REGIONS: Readonly<Record<string, string>> = {
  'eu-central': 'demo-eu-1',
  'eu-north': 'demo-eu-2',
  'us-east': 'demo-us-1',
};
export const ZONES: readonly string[] = Object.values(REGIONS);
