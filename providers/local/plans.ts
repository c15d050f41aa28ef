import type { Plan, Size } from '../../sdk/index.js';

/** Creates a plan. Its disk is Docker's folder: containers have no quota. */
const plan = (cores: number, memoryMiB: number): Plan => ({
  name: `${cores}cpu-${memoryMiB % 1024 ? `${memoryMiB}mb` : `${memoryMiB / 1024}gb`}`,
  cores,
  memoryMiB,
  diskGiB: 20,
});

/** The same cores and memory as the sizes of the clouds. */
export const SIZES: Record<Size, Plan> = {
  small: plan(1, 2048),
  medium: plan(2, 4096),
  large: plan(4, 8192),
  xlarge: plan(6, 16384),
};

export const PLANS: readonly Plan[] = [plan(1, 512), plan(1, 1024), ...Object.values(SIZES)];

/** Parses a plan with any cores and memory, the limits of its container: `2cpu-768mb`, `3cpu-6gb`. */
export function planNamed(name: string): Plan | undefined {
  const [, cores, amount, unit] = /^([1-9]\d?)cpu-([1-9]\d{0,5})(mb|gb)$/.exec(name) ?? [];
  const memoryMiB = Number(amount) * (unit === 'gb' ? 1024 : 1);
  return memoryMiB >= LEAST_MIB && memoryMiB <= MOST_MIB ? { ...plan(Number(cores), memoryMiB), name } : undefined;
}

/** Minimum memory for systemd and an SSH server. */
const LEAST_MIB = 128;
const MOST_MIB = 1024 * 1024;

/** Docker limits of a plan. */
export interface Limits {
  /** Billionths of a core, at most the cores of the machine. */
  nanoCpus: number;
  /** Bytes. */
  memory: number;
}

export function limitsOf({ cores, memoryMiB }: Plan, machineCores: number): Limits {
  return { nanoCpus: Math.min(cores, machineCores) * 1e9, memory: memoryMiB * 1024 * 1024 };
}
