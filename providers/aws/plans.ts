import type { Plan, Size } from '../../sdk/index.js';

/** GiB of a server's boot disk: instance types have no disk of their own. */
export const ROOT_DISK_GIB = 20;

/** GiB of memory per core, by family. All families use Nitro, on which a volume has a stable path. */
const FAMILIES: Readonly<Record<string, number>> = {
  ...familiesOf(['c5', 'c5a', 'c5d', 'c6a', 'c6g', 'c6gd', 'c6i', 'c6id', 'c7a', 'c7g', 'c7gd', 'c7i', 'c8g'], 2),
  ...familiesOf(['m5', 'm5a', 'm5d', 'm6a', 'm6g', 'm6gd', 'm6i', 'm6id', 'm7a', 'm7g', 'm7gd', 'm7i', 'm8g'], 4),
  ...familiesOf(['r5', 'r5a', 'r5b', 'r5d', 'r6a', 'r6g', 'r6gd', 'r6i', 'r6id', 'r7a', 'r7g', 'r7i', 'r8g'], 8),
};

/** Burstable types: cores and memory in GiB by size. */
const BURSTABLE: Readonly<Record<string, readonly [cores: number, memoryGiB: number]>> = {
  nano: [2, 0.5],
  micro: [2, 1],
  small: [2, 2],
  medium: [2, 4],
  large: [2, 8],
  xlarge: [4, 16],
  '2xlarge': [8, 32],
};

function familiesOf(names: readonly string[], memoryGiB: number): Record<string, number> {
  return Object.fromEntries(names.map((name) => [name, memoryGiB]));
}

const plan = (name: string, cores: number, memoryGiB: number): Plan => ({
  name,
  cores,
  memoryMiB: memoryGiB * 1024,
  diskGiB: ROOT_DISK_GIB,
});

/**
 * Derives cores and memory of an instance type from its name: a core is a vCPU, and a family has the same memory per
 * core. Undefined for an unknown family.
 */
export function planNamed(name: string): Plan | undefined {
  const [family = '', size = '', ...more] = name.split('.');
  if (more.length > 0) return undefined;
  if (['t3', 't3a', 't4g'].includes(family)) {
    const known = BURSTABLE[size];
    return known && plan(name, ...known);
  }
  const memory = FAMILIES[family];
  const cores = coresOf(family, size);
  return memory !== undefined && cores !== undefined ? plan(name, cores, cores * memory) : undefined;
}

/** Returns the cores of a size: `large` has two, `NxLarge` 4N. Only families of newer cores have `medium`. */
function coresOf(family: string, size: string): number | undefined {
  if (size === 'medium') return /^[a-z]\d(g|gd|a)$/.test(family) && !/^[a-z]5/.test(family) ? 1 : undefined;
  if (size === 'large') return 2;
  const found = /^([1-9]\d?)?xlarge$/.exec(size);
  return found ? 4 * Number(found[1] ?? 1) : undefined;
}

export const SIZES: Record<Size, Plan> = {
  small: plan('t3.small', 2, 2),
  medium: plan('t3.medium', 2, 4),
  large: plan('t3.large', 2, 8),
  xlarge: plan('t3.xlarge', 4, 16),
};

const COMMON = [
  't3.micro',
  't3.2xlarge',
  't4g.small',
  't4g.medium',
  't4g.large',
  'm6i.large',
  'm6i.xlarge',
  'm7g.large',
  'c6i.large',
  'r6i.large',
];

/** The sizes and the most common types. Other types of the families are derived from their names. */
export const PLANS: readonly Plan[] = [...Object.values(SIZES), ...COMMON.flatMap((name) => planNamed(name) ?? [])];

/** Returns the architecture of a type: Graviton types need an arm64 image. */
export const architectureOf = (type: string): 'arm64' | 'x86_64' => (/^([a-z]\d+g[a-z]*|t4g|a1)\./.test(type) ? 'arm64' : 'x86_64');
