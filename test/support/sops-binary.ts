import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

/** The real `sops`: where tests of this machine have it, else on the PATH; undefined where there is none. */
export function sopsBinary(): string | undefined {
  const own = join(homedir(), '.cache/provisioning/tools/sops-3.13.3/sops');
  const others = (process.env.PATH ?? '').split(':').map((folder) => join(folder, 'sops'));
  return [own, ...others].find((path) => existsSync(path));
}
