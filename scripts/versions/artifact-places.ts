import type { VersionsFile } from '../../core/schema/versions/versions-file.js';

/** Publisher of artifacts. */
export type Publisher = Extract<VersionsFile['upstream'], { datasource: 'releases' | 'index' }>;
export type Architecture = 'amd64' | 'arm64';

/** URLs of a version's files. */
export interface ArtifactPlaces {
  artifact: string;
  /** URL of the hash list, if one exists. */
  checksums?: string;
  /** URL of the signature, if it is a separate file. */
  signature?: string;
  /** Whether the list of hashes covers only this artifact. It may then be a hash without a name. */
  alone: boolean;
}

/** Returns the URLs of a version's files for an architecture, as `versions.json` describes them. */
export function artifactPlaces(upstream: Publisher, version: string, arch: Architecture): ArtifactPlaces {
  const fill = (template: string) =>
    template.replaceAll('{version}', version).replaceAll('{arch}', upstream.architectures?.[arch] ?? arch);
  const base = upstream.datasource === 'index' ? upstream.index : downloadsOf(upstream, fill(upstream.tag));
  const artifact = new URL(fill(upstream.asset), base).href;
  const checksums = upstream.checksums === undefined ? undefined : new URL(fill(upstream.checksums), base).href;
  const file = upstream.signature?.file;
  const alone = checksums?.includes(fileName(artifact)) || upstream.checksums?.includes('{arch}') || false;
  return {
    artifact,
    alone,
    ...(checksums !== undefined && { checksums }),
    ...(file !== undefined && { signature: new URL(fill(file), checksums ?? artifact).href }),
  };
}

/** Returns the name of a file, under which a list has its hash. */
export const fileName = (url: string): string => decodeURIComponent(new URL(url).pathname.split('/').at(-1) ?? '');

/** Returns the download URL of a release. GitHub uses a different host than its API; other servers use the same. */
function downloadsOf({ api, repository }: Extract<Publisher, { datasource: 'releases' }>, tag: string): string {
  const { host, origin } = new URL(api);
  const web = host === 'api.github.com' ? 'https://github.com' : origin;
  return `${web}/${repository}/releases/download/${encodeURIComponent(tag).replaceAll('%2F', '/')}/`;
}
