import type { Plan, Size } from '../../sdk/index.js';

const plan = (name: string, cores: number, memoryGiB: number): Plan => ({ name, cores, memoryMiB: memoryGiB * 1024, diskGiB: 20 });

export const SIZES: Record<Size, Plan> = {
  small: plan('demo-small', 1, 2),
  medium: plan('demo-medium', 2, 4),
  large: plan('demo-large', 4, 8),
  xlarge: plan('demo-xlarge', 6, 16),
};
