import { inputError } from '../errors.js';
import { type VersionsFile, versionsFile, versionsIn } from '../schema/versions/versions-file.js';
import { type Mirror, mirrorOf } from './mirrors.js';
import type { HostContext, Versions } from './taskserv.js';

/** A build of one's own that is installed instead of the vendor's. */
export interface OwnArtifact {
  url: string;
  sha256: string;
}

/** Returns the versions of a taskserv's `versions.json` that were not withdrawn. The newest one is the default. */
export function versionsOf(found: VersionsFile, source: string): Versions {
  const [newest, ...others] = versionsIn(found).flatMap(([name, { withdrawn }]) => (withdrawn === undefined ? [name] : []));
  if (newest === undefined) throw new Error('versions.json: all versions were withdrawn');
  return { default: newest, supported: [newest, ...others], source };
}

/** A `versions.json` that its taskserv imports. */
export const parseImportedVersions = (found: unknown): VersionsFile => versionsFile.parse(found);

/**
 * Returns the artifact of a version for a host, its URL, and the name of its folder.
 *
 * @throws ProvisioningError if it does not exist for the host's architecture, or the version is no longer known
 */
export function findPublishedArtifact(
  taskserv: string,
  { versions }: VersionsFile,
  { version, host, mirrors }: { version: string; host: Pick<HostContext, 'name' | 'arch'>; mirrors?: readonly Mirror[] },
  own?: OwnArtifact,
): OwnArtifact & { label: string } {
  if (own) return { url: mirrorOf(own.url, mirrors).url, sha256: own.sha256, label: `${version}-${own.sha256.slice(0, 12)}` };
  const found = versions[version];
  const arch = host.arch === 'arm64' ? 'arm64' : 'amd64';
  const artifact = found?.[arch];
  if (artifact) return { url: mirrorOf(artifact.url, mirrors).url, sha256: artifact.sha256, label: version };
  throw inputError({
    code: 'no-artifact',
    what: `install ${taskserv} ${version}`,
    on: host.name,
    why: found?.without?.[arch] ?? found?.withdrawn ?? `this build has no artifact of it for ${arch}`,
    hint: `set your own artifact: config.artifact, or choose another version (\`provisioning taskserv show ${taskserv}\`)`,
  });
}
