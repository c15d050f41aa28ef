import { inputError } from '../../core/errors.js';
import type { TaskservRegistry } from '../../core/registry.js';
import { registries } from '../../definition/registries/registries.js';
import { didYouMean } from '../../definition/source/did-you-mean.js';

/** A taskserv of the platform. @throws inputError `unknown-taskserv` */
export async function taskservNamed(name: string): Promise<{ entry: TaskservRegistry[string]; all: TaskservRegistry }> {
  const { taskservs: all } = await registries();
  // Names that every object has are no taskservs.
  const entry = Object.hasOwn(all, name) ? all[name] : undefined;
  if (entry) return { entry, all };
  throw inputError({
    code: 'unknown-taskserv',
    what: 'find the taskserv',
    on: name,
    why: 'the platform has no taskserv with this name',
    hint: didYouMean(name, new Set(Object.keys(all))),
  });
}
