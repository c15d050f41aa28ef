import type { Plan, Size } from '../../sdk/index.js';

const plan = (name: string, cores: number, memoryGiB: number, diskGiB: number): Plan => ({
  name,
  cores,
  memoryMiB: memoryGiB * 1024,
  diskGiB,
});

export const SIZES: Record<Size, Plan> = {
  small: plan('1xCPU-2GB', 1, 2, 50),
  medium: plan('2xCPU-4GB', 2, 4, 80),
  large: plan('4xCPU-8GB', 4, 8, 160),
  xlarge: plan('6xCPU-16GB', 6, 16, 320),
};

export const PLANS: readonly Plan[] = [
  ...Object.values(SIZES),
  plan('1xCPU-1GB', 1, 1, 25),
  plan('8xCPU-32GB', 8, 32, 640),
  plan('12xCPU-48GB', 12, 48, 960),
  plan('16xCPU-64GB', 16, 64, 1280),
  plan('20xCPU-96GB', 20, 96, 1920),
  plan('20xCPU-128GB', 20, 128, 2048),
];

/** Disk of a plan whose name does not contain it. UpCloud's own value is used at the creation of a server. */
const UNSAID_GIB = 50;

/** Parses a plan only from its name: `HIMEM-4xCPU-64GB`, `DEV-1xCPU-1GB-10GB`. */
export function planNamed(name: string): Plan | undefined {
  const [, cores, memory, disk] = /^(?:[A-Z]+-)*(\d+)xCPU-(\d+)GB(?:-(\d+)GB)?$/.exec(name) ?? [];
  return cores && memory ? plan(name, Number(cores), Number(memory), Number(disk ?? UNSAID_GIB)) : undefined;
}

/** Boot disk on a plan without a disk, in GiB. */
export const OWN_DISK_GIB = 20;
