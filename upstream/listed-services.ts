import { inputError } from '../core/errors.js';
import type { TaskservRegistry } from '../core/registry.js';
import type { VersionsFile } from '../core/schema/versions/versions-file.js';
import type { Versions } from '../core/taskserv/taskserv.js';
import { loadPublishedVersions } from '../core/versions/published.js';
import { archivesOf } from './archives.js';
import type { ListedService } from './look-upstream.js';

type Entry = TaskservRegistry[string];

/**
 * Returns the services whose versions have a known source: a `versions.json`, or a Debian package.
 *
 * @param names taskservs of the platform; empty for all
 * @throws inputError `versions-not-listed` for a service without a known source
 */
export async function listServices(registry: TaskservRegistry, names: readonly string[]): Promise<ListedService[]> {
  const without = names.find((name) => !isListed(registry[name]));
  if (without !== undefined) throw notListed(without);
  const wanted = names.length > 0 ? [...new Set(names)] : Object.keys(registry).filter((name) => isListed(registry[name]));
  return Promise.all(wanted.sort().map((name) => listed(registry, name)));
}

const isListed = (entry?: Entry): boolean =>
  entry !== undefined && (entry.published !== undefined || entry.versions.releases !== undefined);

async function listed(registry: TaskservRegistry, name: string): Promise<ListedService> {
  const { versions, load } = registry[name] as Entry;
  const { supported } = versions;
  const file = await loadPublishedVersions(registry, name);
  const upstream = file?.upstream;
  if (file && upstream?.datasource !== 'debian') return { name, file, supported, load };
  const archives = archivesOf(name, versions, upstream?.datasource === 'debian' ? upstream.package : undefined);
  return { name, file: file ?? fileOf(versions, archives[0].package), supported, load, archives };
}

/** Builds the equivalent of a `versions.json` from the taskserv. */
function fileOf({ supported, withdrawn = {} }: Versions, name: string): VersionsFile {
  const known = Object.entries(withdrawn).map(([version, why]) => [version, { withdrawn: why }] as const);
  const versions = Object.fromEntries([...supported.map((version) => [version, {}] as const), ...known]);
  return { upstream: { datasource: 'debian', package: name }, versions };
}

const notListed = (on: string) =>
  inputError({
    code: 'versions-not-listed',
    what: 'list the available versions',
    on,
    why: 'its versions have no known source: it has no versions.json, and its version does not come from a package of Debian',
    hint: 'omit the name to check every service with a known source: provisioning version check',
  });
