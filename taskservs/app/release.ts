import { type FoundArtifact, inputError, locateApp, sha256 } from '../../sdk/index.js';
import type { AppConfig } from './app-config.js';
import type { Build, Source } from './source-config.js';

/** Name of a source in titles and markers. */
export const nameOfSource = (source: Source): string => ('git' in source ? source.git : `the directory ${source.directory}`);

/** @throws inputError `source-not-resolved` */
function foundAt(source: Source): NonNullable<Source['resolved']> {
  if (source.resolved) return source.resolved;
  throw inputError({
    code: 'source-not-resolved',
    what: 'deploy the source',
    on: nameOfSource(source),
    why: 'its commit has not been resolved',
    hint: 'load the definition with `provisioning apply`, or with `loadDefinition` in a program',
  });
}

/** Identifies the output of a build by the source and everything that the build does to it. */
export function buildKey(source: Source, { run, output, packages, env }: Build): string {
  return sha256(JSON.stringify([foundAt(source).sha256, run, output, packages, env]));
}

const shortOf = (source: Source): string => foundAt(source).commit.slice(0, 12);

/** The name of the release that a configuration runs. */
export function releaseOf({ source, build, release }: Pick<AppConfig, 'source' | 'build' | 'release'>): string {
  if (!source) return release ?? '';
  // Another command makes another release of the same commit.
  return build ? `${shortOf(source)}-${buildKey(source, build).slice(0, 6)}` : shortOf(source);
}

/** The folder of the release: it is made whole, and never changed. */
export const folderOf = (config: Pick<AppConfig, 'name' | 'source' | 'build' | 'release'>): string =>
  `${locateApp(config.name).releases}/${releaseOf(config)}`;

/** The archive of a source, as the worker brings it. */
export function sourceArchive(source: Source): Pick<FoundArtifact, 'url' | 'sha256' | 'from'> {
  const { sha256, kept } = foundAt(source);
  return { url: `${nameOfSource(source)} at ${shortOf(source)}`, sha256, from: { kept } };
}

const isArchive = (url: string): boolean => /\.(tar|tgz|tar\.[a-z0-9]+)(\?.*)?$/.test(url);

/** Artifact that becomes the folder of the release. The host fetches it, or the worker delivers it. */
export function artifactOf(config: Pick<AppConfig, 'name' | 'source' | 'build' | 'release' | 'artifact'>): FoundArtifact {
  const { name, source, build, artifact } = config;
  const to = folderOf(config);
  if (artifact) {
    const how = isArchive(artifact.url) ? { unpack: 'tar' as const, strip: artifact.strip } : { as: name };
    return { url: artifact.url, sha256: artifact.sha256, to, ...how };
  }
  if (!source) throw inputError({ code: 'bad-definition', what: `deploy ${name}`, why: 'it has neither a source nor an artifact' });
  if (!build) return { ...sourceArchive(source), to, unpack: 'tar' };
  const key = buildKey(source, build);
  const server = build.on ?? '';
  const from = { server, path: locateBuiltFile(name, key) };
  return { url: `the build of ${nameOfSource(source)} at ${shortOf(source)}`, sha256: key, to, unpack: 'tar', from };
}

/** Path of the output of a build, on the host that built it. */
export const locateBuiltFile = (name: string, key: string): string => `${locateApp(name).builds}/${key}/release.tar.gz`;
