import type { Versions } from '../taskserv/taskserv.js';
import { newestFirst } from './newest-first.js';

/** Versions in Debian's archives, by the number of the release; `null` if a release has none that works. */
interface Held {
  12: string | null;
  13: string | null;
}

/** Debian's code names of the releases on which services are proven. */
export const DEBIAN_CODENAMES = { 'debian-12': 'bookworm', 'debian-13': 'trixie' } as const;

/**
 * Returns the versions of a Debian package: a host gets the version of its release's archive.
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
 * Returns the version in a release's archive; `null` if it has none that works, undefined if it is unknown.
 *
 * @param release as images are named: `debian-13`
 */
export function findHeldVersion({ releases }: Pick<Versions, 'releases'>, release: string | undefined): string | null | undefined {
  return release !== undefined && releases && Object.hasOwn(releases, release) ? releases[release] : undefined;
}

/** Lists the version in each release's archive, newest first: `debian-13 has 8.0, debian-12 has 7.0`. */
export const holdings = ({ releases = {} }: Pick<Versions, 'releases'>): string =>
  Object.entries(releases)
    .sort(([one], [other]) => newestFirst(one, other))
    .map(([release, version]) => `${release} has ${version ?? 'none'}`)
    .join(', ');

/** The releases whose archives hold a version: `debian-12, debian-13`. */
export const releasesOf = ({ releases = {} }: Pick<Versions, 'releases'>, version: string): string[] =>
  Object.keys(releases).filter((release) => releases[release] === version);
