import type { AnyProvider } from './machine/provider.js';
import type { AnyTaskserv } from './taskserv/taskserv.js';

/** What is known of a module without loading it: `npm run generate` writes these into the registries. */
export const KNOWN = {
  taskservs: ['name', 'category', 'description', 'versions'],
  providers: ['name', 'description', 'free', 'variables'],
} as const satisfies { taskservs: readonly (keyof AnyTaskserv)[]; providers: readonly (keyof AnyProvider)[] };

/** Modules by name: what is known of each, and how the rest is loaded. */
type Registry<Module, Known extends keyof Module> = Readonly<Record<string, Pick<Module, Known> & { load(): Promise<Module> }>>;

export type TaskservRegistry = Readonly<
  Record<string, Registry<AnyTaskserv, (typeof KNOWN.taskservs)[number]>[string] & Published>
>;
export type ProviderRegistry = Registry<AnyProvider, (typeof KNOWN.providers)[number]>;

/** A taskserv whose folder has a `versions.json`. */
export interface Published {
  /** What that file holds: `publishedVersions` (core/versions) judges it. */
  published?(): Promise<unknown>;
}

interface Loadable<Module> {
  load(): Promise<Module>;
}

/** Taskservs of which nothing is known but their names. */
export type LoadableTaskservs = Readonly<Record<string, Loadable<AnyTaskserv> & Published>>;

/**
 * Loads modules, what they require and what they bring along, in turn.
 *
 * @param names default: all; those that the registry does not have are left out
 */
export async function loadModules<
  Module extends { requires?: readonly string[]; companions?: { names: readonly string[] } } | object,
>(
  registry: Readonly<Record<string, Loadable<Module>>>,
  names: Iterable<string> = Object.keys(registry),
): Promise<Record<string, Module>> {
  const modules = new Map<string, Module | undefined>();
  const want = async (name: string): Promise<void> => {
    const entry = Object.hasOwn(registry, name) ? registry[name] : undefined;
    if (!entry || modules.has(name)) return;
    // In the order in which they were asked for.
    modules.set(name, undefined);
    const module = await entry.load();
    modules.set(name, module);
    if ('requires' in module) await Promise.all((module.requires ?? []).map(want));
    if ('companions' in module) await Promise.all((module.companions?.names ?? []).map(want));
  };
  await Promise.all([...names].map(want));
  return Object.fromEntries(modules) as Record<string, Module>;
}
