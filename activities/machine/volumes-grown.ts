import type { VolumeSpec } from '../../core/definition/definition.js';
import type { FoundServer, ProviderConnection } from '../../core/machine/provider.js';

/**
 * Lists volumes that are larger than wanted. If a provider has no volume so small, its smallest size counts as wanted.
 */
export function volumesGrown(
  { catalog }: Pick<ProviderConnection, 'catalog'>,
  volumes: readonly VolumeSpec[],
  { volumeSizes = {} }: Pick<FoundServer, 'volumeSizes'>,
): VolumeSpec[] {
  const smallest = catalog?.smallestVolumeGiB ?? 0;
  return volumes.filter(({ name, sizeGiB }) => (volumeSizes[name] ?? 0) > Math.max(sizeGiB, smallest));
}
