import { homedir } from 'node:os';
import { join, resolve } from 'node:path';

/**
 * Returns the folder of this machine's own state: `$XDG_STATE_HOME/provisioning`, or `~/.local/state/provisioning`. It
 * is outside of all homes, so that a copy of a home omits it.
 */
export function stateFolderOf({ XDG_STATE_HOME: given, HOME: home }: NodeJS.ProcessEnv): string {
  // An environment without HOME is incomplete: this process's environment is used.
  const base = given || (home ? join(home, '.local/state') : process.env.XDG_STATE_HOME || join(homedir(), '.local/state'));
  return resolve(base, 'provisioning');
}

/** Returns the folder with the TLS keys of a home's own engine. */
export const certificatesAt = (env: NodeJS.ProcessEnv, setUp: string): string => join(stateFolderOf(env), 'engine', setUp);
