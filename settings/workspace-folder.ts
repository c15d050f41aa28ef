import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ENDINGS } from './layers/layers.js';

/** The nearest folder, from one upwards, that has a file `provisioning.yaml`, `.toml` or `.json`. */
export function nearestWorkspaceFolder(from: string): string | undefined {
  for (let folder = from; ; folder = dirname(folder)) {
    if (ENDINGS.some((ending) => existsSync(join(folder, `provisioning${ending}`)))) return folder;
    if (folder === dirname(folder)) return undefined;
  }
}
