import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bugError } from '../../core/errors.js';

/** The folder of this package, seen from its sources as well as from what is built. */
function packageRoot(): string {
  for (let folder = dirname(fileURLToPath(import.meta.url)); folder !== dirname(folder); folder = dirname(folder)) {
    if (existsSync(join(folder, 'package.json'))) return folder;
  }
  throw bugError({ code: 'no-package', what: 'find the package', why: 'no package.json above its own code' });
}

export const packageVersion = (): string =>
  (JSON.parse(readFileSync(join(packageRoot(), 'package.json'), 'utf8')) as { version: string }).version;

/** The program that finds, starts and stops the engine. */
export const engineProgram = (): string => join(packageRoot(), 'dist', 'engine.js');
