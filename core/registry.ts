import type { AnyProvider } from './machine/provider.js';
import type { AnyTaskserv } from './taskserv/taskserv.js';

/** What is known of a module without loading it: `npm run generate` writes these into the registries. */
export const KNOWN = {
  taskservs: ['name', 'category', 'description', 'versions', 'requires'],
  providers: ['name', 'description', 'free', 'variables'],
} as const satisfies { taskservs: readonly (keyof AnyTaskserv)[]; providers: readonly (keyof AnyProvider)[] };

/** Modules by name: what is known of each, and how the rest is loaded. */
type Registry<Module, Known extends keyof Module> = Readonly<Record<string, Pick<Module, Known> & { load(): Promise<Module> }>>;

export type TaskservRegistry = Registry<AnyTaskserv, (typeof KNOWN.taskservs)[number]>;
export type ProviderRegistry = Registry<AnyProvider, (typeof KNOWN.providers)[number]>;

interface Loadable<Module> {
  load(): Promise<Module>;
  requires?: readonly string[];
}

/**
 * Loads modules and what they require, in turn.
 *
 * @param names default: all; those that the registry does not have are left out
 */
export async function loadModules<Module>(
  registry: Readonly<Record<string, Loadable<Module>>>,
  names: Iterable<string> = Object.keys(registry),
): Promise<Record<string, Module>> {
  const wanted = new Map<string, Loadable<Module>>();
  const want = (name: string): void => {
    const entry = Object.hasOwn(registry, name) ? registry[name] : undefined;
    if (!entry || wanted.has(name)) return;
    wanted.set(name, entry);
    entry.requires?.forEach(want);
  };
  for (const name of names) want(name);
  return Object.fromEntries(await Promise.all([...wanted].map(async ([name, entry]) => [name, await entry.load()] as const)));
}
