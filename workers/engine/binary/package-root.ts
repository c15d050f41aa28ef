import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bugError } from '../../../core/errors.js';

/** Returns the folder of this package, both from its sources and from the build. */
export function packageRoot(): string {
  for (let folder = dirname(fileURLToPath(import.meta.url)); folder !== dirname(folder); folder = dirname(folder)) {
    if (existsSync(join(folder, 'package.json'))) return folder;
  }
  throw bugError({ code: 'no-package', what: 'find the package', why: 'its code is not below a package.json' });
}

/** Output of the build: the worker, the workflow bundle, their hash. */
export const distFolder = (): string => join(packageRoot(), 'dist');

/**
 * Returns the folder of the go.mod and go.sum that pin the engine: in a clone beside the sources, in the published
 * package beside the build.
 */
export function engineModule(): string {
  const places = [join(packageRoot(), 'workers/engine/temporal'), join(distFolder(), 'temporal')];
  const found = places.find((place) => existsSync(join(place, 'go.mod')));
  if (found) return found;
  throw bugError({
    code: 'no-engine-module',
    what: 'find the pinned build of the engine',
    on: places.join(', '),
    why: 'the package has no go.mod',
    hint: 'run `npm run build`',
  });
}
