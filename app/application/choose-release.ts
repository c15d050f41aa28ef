import { inputError } from '../../core/errors.js';
import type { Release } from './releases.js';

/** A release to go back to, and the servers that do not have it yet. */
export interface ReleaseChoice {
  release: string;
  missing: string[];
}

/**
 * Chooses a release: the named one, or the one before the running release, even if newer servers never had it. The
 * source of a release is stored with its definition, and copied to these servers.
 *
 * @param byServer the releases of each server, the newest first
 * @throws inputError `unknown-release`
 */
export function chooseRelease(name: string, byServer: ReadonlyMap<string, readonly Release[]>, to?: string): ReleaseChoice {
  // The server with most releases has the longest memory.
  const all = [...byServer.values()].sort((a, b) => b.length - a.length);
  const before = all.flatMap((rows) => {
    const running = rows.findIndex(({ since }) => since !== undefined);
    // A server without a running release does not know which one was before it.
    return running === -1 ? [] : rows.slice(running + 1, running + 2);
  })[0];
  const found = to === undefined ? before : all.flat().find(({ release }) => release.startsWith(to));
  if (found) {
    const has = (rows: readonly Release[]) => rows.some(({ release }) => release === found.release);
    return { release: found.release, missing: [...byServer].flatMap(([server, rows]) => (has(rows) ? [] : [server])) };
  }
  const why = to === undefined ? 'no server has a release from before' : `no server has the release "${to}"`;
  throw inputError({
    code: 'unknown-release',
    what: 'roll the application back',
    on: name,
    why,
    hint: `provisioning app releases ${name}`,
  });
}
