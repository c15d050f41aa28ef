import { bugError } from '../../core/errors.js';
import type { VersionsFile } from '../../core/schema/versions/versions-file.js';
import type { AptSource } from '../../core/taskserv/apt-source.js';
import { DEBIAN_CODENAMES } from '../../core/versions/release-versions.js';
import { indexVersions } from '../reading/index-versions.js';
import { upstreamPart } from '../reading/package-version.js';
import { aptVersions } from './apt-versions.js';
import type { ListLookup, Part } from './part.js';

type VendorApt = Extract<VersionsFile['upstream'], { datasource: 'vendor-apt' }>;

/**
 * Reads the lists of a vendor's apt repository, for each Debian release in it. They are verified with the key from the
 * taskserv.
 *
 * @param sources sources of the taskserv
 * @throws ProvisioningError `bad-versions` if the taskserv describes no source of this name
 */
export async function lookAtVendorApt(
  { source: id, package: name, versionPattern }: VendorApt,
  sources: readonly AptSource[],
  looking: ListLookup,
): Promise<Part[]> {
  const source = sources.find((one) => one.name === id);
  if (!source) {
    const why = `its taskserv describes no apt source "${id}"`;
    throw bugError({ code: 'bad-versions', what: 'list the available versions', on: name, why });
  }
  const { uri, suite, components, key, fingerprint } = source;
  const named = Object.values(DEBIAN_CODENAMES).map((codename) => suite.replace('{codename}', codename));
  const suites = [...new Set(named)].map((one) => ({ uri, suite: one, components, keyring: Buffer.from(key), fingerprint }));
  const { host } = new URL(uri);
  return aptVersions(name, suites, looking, (version) =>
    versionPattern === undefined ? upstreamPart(version) : indexVersions(version, versionPattern, host)[0],
  );
}
