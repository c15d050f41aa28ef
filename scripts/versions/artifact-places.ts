import type { VersionsFile } from '../../core/schema/versions/versions-file.js';

/** Who publishes artifacts. */
export type Publisher = Extract<VersionsFile['upstream'], { datasource: 'releases' | 'index' }>;
export type Architecture = 'amd64' | 'arm64';

/** Where the files of a version are. */
export interface ArtifactPlaces {
  artifact: string;
  /** Of what lists the hashes; absent where nothing does. */
  checksums?: string;
  /** Of the signature, where it is a file of its own. */
  signature?: string;
  /** What lists the hashes is about this artifact alone, so that it may be a hash without a name. */
  alone: boolean;
}

/** The addresses of a version's files for an architecture, as `versions.json` describes them. */
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

/** The name of a file, by which a list has its hash. */
export const fileName = (url: string): string => decodeURIComponent(new URL(url).pathname.split('/').at(-1) ?? '');

/** Where the files of a release are: GitHub has them at another host than its API, all others beside it. */
function downloadsOf({ api, repository }: Extract<Publisher, { datasource: 'releases' }>, tag: string): string {
  const { host, origin } = new URL(api);
  const web = host === 'api.github.com' ? 'https://github.com' : origin;
  return `${web}/${repository}/releases/download/${encodeURIComponent(tag).replaceAll('%2F', '/')}/`;
}
