import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bugError } from '../../core/errors.js';

/** The folder of this package, seen from its sources as well as from what is built. */
export function packageRoot(): string {
  for (let folder = dirname(fileURLToPath(import.meta.url)); folder !== dirname(folder); folder = dirname(folder)) {
    if (existsSync(join(folder, 'package.json'))) return folder;
  }
  throw bugError({ code: 'no-package', what: 'find the package', why: 'its code is not below a package.json' });
}
