import { bugError } from '../core/errors.js';
import type { Versions } from '../core/taskserv/taskserv.js';
import { newestFirst } from '../core/versions/newest-first.js';
import { DEBIAN_CODENAMES } from '../core/versions/release-versions.js';
import { isOfSeries } from '../core/versions/version-change.js';

/** A release of Debian that services are proven on. */
export type DebianRelease = keyof typeof DEBIAN_CODENAMES;

/** A package that the archive of a release is asked for. */
export interface WantedOfArchive {
  release: DebianRelease;
  package: string;
  /** The series that this build expects there: `8.0`. */
  supported: string;
}

/** What the archive of a release holds now. */
export interface HeldByArchive extends WantedOfArchive {
  /** Of the software, with its security updates: `8.0.2`. Absent where the archive has no such package. */
  version?: string;
}

/** Whether an archive holds something else than this build expects: what it says of that release is wrong. */
export const isUnexpected = ({ supported, version }: HeldByArchive): boolean =>
  version === undefined || !isOfSeries(version, supported);

/**
 * What the archives are asked for a service whose version follows the release of the host, the newest release first. A
 * release on which the service does not work is left out.
 *
 * @param name of the service
 * @param named the package, where its `versions.json` says it; default: as the taskserv says
 * @throws bugError `bad-versions` where nothing names the package, or what releases have
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
