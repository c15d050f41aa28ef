import type { TaskservRegistry } from '../../core/registry.js';
import { versionsIn } from '../../core/schema/versions/versions-file.js';
import { loadPublishedVersions } from '../../core/versions/published.js';
import { releasesOf } from '../../core/versions/release-versions.js';

/** Versions of a taskserv that this build knows. */
export interface KnownVersions {
  default: string;
  /** Source of the versions: `debian`. */
  source: string;
  /** Newest first; withdrawn versions come last. */
  versions: {
    version: string;
    /** The releases whose archives have it, if the archive decides which hosts get it: `debian-13`. */
    releases?: string[];
    released?: string;
    /** The last day on which its vendor looks after it. */
    endOfLife?: string;
    /** Why it must not be installed any more. */
    withdrawn?: string;
  }[];
}

/** Returns the known versions of these taskservs, by name, from their modules and their `versions.json`. */
export async function readKnownVersions(
  registry: TaskservRegistry,
  names: Iterable<string>,
): Promise<Record<string, KnownVersions>> {
  const all = [...new Set(names)].filter((name) => Object.hasOwn(registry, name));
  return Object.fromEntries(await Promise.all(all.map(async (name) => [name, await knownOf(registry, name)] as const)));
}

async function knownOf(registry: TaskservRegistry, name: string): Promise<KnownVersions> {
  const { versions } = registry[name] as TaskservRegistry[string];
  const { supported, default: preset, source } = versions;
  const file = await loadPublishedVersions(registry, name);
  const published = new Map(file ? versionsIn(file) : []);
  const withdrawn = [...published].flatMap(([version, one]) =>
    one.withdrawn !== undefined && !supported.includes(version) ? [version] : [],
  );
  return {
    default: preset,
    source,
    versions: [...supported, ...withdrawn].map((version) => {
      const { released, endOfLife, withdrawn } = published.get(version) ?? {};
      const releases = releasesOf(versions, version);
      return {
        version,
        ...(releases.length > 0 && { releases }),
        ...(released !== undefined && { released }),
        ...(endOfLife !== undefined && { endOfLife }),
        ...(withdrawn !== undefined && { withdrawn }),
      };
    }),
  };
}
