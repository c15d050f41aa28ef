import { inputError } from '../../../core/errors.js';
import type { TaskservRegistry } from '../../../core/registry.js';
import { publishedVersions } from '../../../core/versions/published.js';
import type { ListedService } from './look-upstream.js';

/**
 * The services that have a `versions.json`, by name.
 *
 * @param names of taskservs of the platform; none: all that have one
 * @throws inputError `versions-not-listed` for one that has none
 */
export async function listedServices(registry: TaskservRegistry, names: readonly string[]): Promise<ListedService[]> {
  const have = Object.keys(registry).filter((name) => registry[name]?.published !== undefined);
  const without = names.find((name) => !have.includes(name));
  if (without !== undefined) throw notListed(without, have);
  const wanted = names.length > 0 ? [...new Set(names)] : have;
  return Promise.all(wanted.sort().map((name) => listed(registry, name)));
}

async function listed(registry: TaskservRegistry, name: string): Promise<ListedService> {
  const { versions, load } = registry[name] as TaskservRegistry[string];
  const file = await publishedVersions(registry, name);
  if (!file) throw notListed(name, []);
  return { name, file, supported: versions.supported, load };
}

const notListed = (on: string, have: readonly string[]) =>
  inputError({
    code: 'versions-not-listed',
    what: 'ask which versions there are',
    on,
    why: 'nothing says who lists them: it has no versions.json',
    hint: `these have one: ${have.join(', ')}`,
  });
