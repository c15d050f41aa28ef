import type { Versions } from '../taskserv/taskserv.js';
import { newestFirst } from './newest-first.js';

/** What the archives of Debian hold, by the number of the release; `null` where a release has none that works. */
interface Held {
  12: string | null;
  13: string | null;
}

/** What the archive calls the releases of Debian that services are proven on. */
export const DEBIAN_CODENAMES = { 'debian-12': 'bookworm', 'debian-13': 'trixie' } as const;

/**
 * The versions of a package of Debian: a host gets the one that the archive of its release holds.
 *
 * @example debianVersions({ 12: '7.0', 13: '8.0' })
 */
export function debianVersions(held: Held, more: Pick<Versions, 'package' | 'upgrades' | 'withdrawn' | 'further'> = {}): Versions {
  const releases = Object.fromEntries(Object.entries(held).map(([release, version]) => [`debian-${release}`, version]));
  const [newest, ...older] = [...new Set(Object.values(held))].filter((version) => version !== null).sort(newestFirst);
  if (newest === undefined) throw new Error('Debian has no version of it');
  return { default: held[12] ?? newest, supported: [newest, ...older], source: 'debian', releases, ...more };
}

/**
 * What the archive of a release holds; `null` where it has nothing that works, undefined where nothing is known of it.
 *
 * @param release as images are named: `debian-13`
 */
export function findHeldVersion({ releases }: Pick<Versions, 'releases'>, release: string | undefined): string | null | undefined {
  return release !== undefined && releases && Object.hasOwn(releases, release) ? releases[release] : undefined;
}

/** What the archive of each release holds, the newest first: `debian-13 has 8.0, debian-12 has 7.0`. */
export const holdings = ({ releases = {} }: Pick<Versions, 'releases'>): string =>
  Object.entries(releases)
    .sort(([one], [other]) => newestFirst(one, other))
    .map(([release, version]) => `${release} has ${version ?? 'none'}`)
    .join(', ');

/** The releases whose archives hold a version: `debian-12, debian-13`. */
export const releasesOf = ({ releases = {} }: Pick<Versions, 'releases'>, version: string): string[] =>
  Object.keys(releases).filter((release) => releases[release] === version);
