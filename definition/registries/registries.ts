import type { ProviderRegistry, TaskservRegistry } from '../../core/registry.js';
import { versionsIn } from '../../core/schema/versions/versions-file.js';
import type { AnyTaskserv } from '../../core/taskserv/taskserv.js';
import { loadPublishedVersions } from '../../core/versions/published.js';

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
  return { taskservs: addWithdrawn(taskservs), providers };
}

/** The taskservs of the platform, each of which says as it is loaded which of its versions `versions.json` withdraws. */
export const addWithdrawn = (registry: TaskservRegistry): TaskservRegistry =>
  Object.fromEntries(
    Object.entries(registry).map(([name, entry]) => {
      const load = async () => withdrawing(await entry.load(), registry);
      return [name, entry.published ? { ...entry, load } : entry];
    }),
  );

async function withdrawing(taskserv: AnyTaskserv, registry: TaskservRegistry): Promise<AnyTaskserv> {
  const published = await loadPublishedVersions(registry, taskserv.name);
  const all = (published ? versionsIn(published) : []).flatMap(([version, { withdrawn }]) =>
    withdrawn === undefined ? [] : [[version, withdrawn] as const],
  );
  if (all.length === 0) return taskserv;
  return { ...taskserv, versions: { ...taskserv.versions, withdrawn: Object.fromEntries(all) } };
}
