import { homedir } from 'node:os';
import { join, resolve } from 'node:path';

/**
 * What belongs to this machine and lies outside of all homes, so that a copy of a home is without it:
 * `$XDG_STATE_HOME/provisioning`, or `~/.local/state/provisioning`.
 */
export function stateFolderOf({ XDG_STATE_HOME: given, HOME: home }: NodeJS.ProcessEnv): string {
  // What has no home is no whole environment: this process's says it.
  const base = given || (home ? join(home, '.local/state') : process.env.XDG_STATE_HOME || join(homedir(), '.local/state'));
  return resolve(base, 'provisioning');
}

/** The keys of the transport of a set-up's own engine. */
export const certificatesAt = (env: NodeJS.ProcessEnv, setUp: string): string => join(stateFolderOf(env), 'engine', setUp);
