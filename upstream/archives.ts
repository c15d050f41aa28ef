import { bugError } from '../core/errors.js';
import type { Versions } from '../core/taskserv/taskserv.js';
import { newestFirst } from '../core/versions/newest-first.js';
import { DEBIAN_CODENAMES } from '../core/versions/release-versions.js';
import { isOfSeries } from '../core/versions/version-change.js';

/** Debian release on which services are proven. */
export type DebianRelease = keyof typeof DEBIAN_CODENAMES;

/** Package to look up in the archive of a release. */
export interface WantedOfArchive {
  release: DebianRelease;
  package: string;
  /** Series that this build expects there: `8.0`. */
  supported: string;
}

/** Package version that the archive of a release contains now. */
export interface HeldByArchive extends WantedOfArchive {
  /** Version of the software, with security updates: `8.0.2`. Absent if the archive has no such package. */
  version?: string;
}

/**
 * Reports whether an archive differs from what this build expects, so that the listed version of the release is wrong.
 */
export const isUnexpected = ({ supported, version }: HeldByArchive): boolean =>
  version === undefined || !isOfSeries(version, supported);

/**
 * Returns the archive lookups for a service whose version follows the release of the host, newest release first.
 * Releases on which the service does not work are omitted.
 *
 * @param name of the service
 * @param named package from `versions.json`. Default: the package that the taskserv names
 * @throws bugError `bad-versions` if no package is named, or no versions of releases
 */
export function archivesOf(
  name: string,
  { releases = {}, package: own }: Versions,
  named = own,
): [WantedOfArchive, ...WantedOfArchive[]] {
  const known = Object.keys(DEBIAN_CODENAMES) as DebianRelease[];
  const [first, ...further] = known.sort(newestFirst).flatMap((release): WantedOfArchive[] => {
    const supported = releases[release] ?? undefined;
    if (named === undefined || supported === undefined) return [];
    return [{ release, package: named.replaceAll('{version}', supported), supported }];
  });
  if (first) return [first, ...further];
  const why =
    named === undefined ? 'its taskserv names no package' : 'its taskserv does not list the versions in the releases of Debian';
  throw bugError({ code: 'bad-versions', what: 'list the available versions', on: name, why });
}
