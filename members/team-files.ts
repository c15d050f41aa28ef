import { homedir, platform } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { inputError } from '../core/errors.js';
import type { Home } from '../home/home.js';

/** Files of an accepted invitation. The invitation cannot choose their names. */
export interface TeamFiles {
  folder: string;
  ca: string;
  certificate: string;
  key: string;
  storePassword: string;
  storeCa: string;
  kmsCa: string;
}

export function teamFilesOf({ root }: Pick<Home, 'root'>): TeamFiles {
  const folder = join(root, 'team');
  return {
    folder,
    ca: join(folder, 'ca.pem'),
    certificate: join(folder, 'client.pem'),
    key: join(folder, 'client.key'),
    storePassword: join(folder, 'store-password'),
    storeCa: join(folder, 'store-ca.pem'),
    kmsCa: join(folder, 'key-service-ca.pem'),
  };
}

/**
 * Returns the path at which Temporal's library looks for its configuration file.
 *
 * @throws inputError `member-temporal` on a system without such a path
 */
export function temporalConfigFile(env: NodeJS.ProcessEnv, system = platform()): string {
  if (env.TEMPORAL_CONFIG_FILE) return env.TEMPORAL_CONFIG_FILE;
  const home = env.HOME || homedir();
  const { XDG_CONFIG_HOME: given, APPDATA } = env;
  const folder =
    system === 'darwin'
      ? join(home, 'Library', 'Application Support')
      : system === 'win32'
        ? APPDATA
        : given
          ? given
          : join(home, '.config');
  if (folder && isAbsolute(folder)) return join(folder, 'temporalio', 'temporal.toml');
  const hint = 'set its path: TEMPORAL_CONFIG_FILE=/…/temporal.toml';
  throw inputError({
    code: 'member-temporal',
    what: "find Temporal's configuration file",
    why: 'no environment variable sets a folder for it',
    hint,
  });
}
