import type { ProviderRegistry, TaskservRegistry } from '../../core/registry.js';
import { withWithdrawn } from './withdrawn.js';

/** All taskservs and providers that there are; what is not known of them without it is loaded where it is needed. */
export interface Registries {
  taskservs: TaskservRegistry;
  providers: ProviderRegistry;
}

/** Those of the platform. */
export async function registries(): Promise<Registries> {
  const [{ taskservs }, { providers }] = await Promise.all([
    import('../../taskservs/registry.generated.js'),
    import('../../providers/registry.generated.js'),
  ]);
  return { taskservs: withWithdrawn(taskservs), providers };
}
