import type { AnyProvider } from './machine/provider.js';
import { partsOfName } from './taskserv/instances.js';
import type { AnyTaskserv } from './taskserv/taskserv.js';

/** Fields of a module that are known without loading it: `npm run generate` writes them into the registries. */
export const KNOWN_FIELDS = {
  taskservs: ['name', 'category', 'description', 'versions'],
  providers: ['name', 'description', 'free', 'variables'],
} as const satisfies { taskservs: readonly (keyof AnyTaskserv)[]; providers: readonly (keyof AnyProvider)[] };

/** Modules by name: what is known of each, and how the rest is loaded. */
type Registry<Module, Known extends keyof Module> = Readonly<Record<string, Pick<Module, Known> & { load(): Promise<Module> }>>;

export type TaskservRegistry = Readonly<
  Record<string, Registry<AnyTaskserv, (typeof KNOWN_FIELDS.taskservs)[number]>[string] & PublishedVersions>
>;
export type ProviderRegistry = Registry<AnyProvider, (typeof KNOWN_FIELDS.providers)[number]>;

/** A taskserv whose folder has a `versions.json`. */
export interface PublishedVersions {
  /** Content of that file, which `loadPublishedVersions` (core/versions) validates. */
  published?(): Promise<unknown>;
}

interface Loadable<Module> {
  load(): Promise<Module>;
}

/** Taskservs of which nothing is known but their names. */
export type LoadableTaskservs = Readonly<Record<string, Loadable<AnyTaskserv> & PublishedVersions>>;

/** Relations of a module to others. */
interface Relations {
  requires?: readonly string[];
  companions?: { names: readonly string[] };
  instance?(name: string): object;
}

/**
 * Loads modules, what they require and what they bring along, in turn. An instance (`app@shop`) is made of its taskserv.
 *
 * @param names default: all; those that the registry does not have are left out, as instances of what has none are
 */
export async function loadModules<Module extends Relations | object>(
  registry: Readonly<Record<string, Loadable<Module>>>,
  names: Iterable<string> = Object.keys(registry),
): Promise<Record<string, Module>> {
  const modules = new Map<string, Module | undefined>();
  const want = async (name: string): Promise<void> => {
    const { taskserv: own, instance } = partsOfName(name);
    const entry = Object.hasOwn(registry, own) ? registry[own] : undefined;
    if (!entry || modules.has(name)) return;
    // In the order in which they were asked for.
    modules.set(name, undefined);
    const loaded: Relations = await entry.load();
    const module = instance === undefined ? loaded : loaded.instance?.(instance);
    if (!module) return void modules.delete(name);
    modules.set(name, module as Module);
    const { requires = [], companions } = module as Relations;
    await Promise.all([...requires, ...(companions?.names ?? [])].map(want));
  };
  await Promise.all([...names].map(want));
  return Object.fromEntries(modules) as Record<string, Module>;
}
