import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

/**
 * Returns the path of the real `sops`: the tests' own, otherwise the one on the PATH. Undefined if it is not
 * installed.
 */
export function sopsBinary(): string | undefined {
  const own = join(homedir(), '.cache/provisioning/tools/sops-3.13.3/sops');
  const others = (process.env.PATH ?? '').split(':').map((folder) => join(folder, 'sops'));
  return [own, ...others].find((path) => existsSync(path));
}
