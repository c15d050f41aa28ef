import type { TaskservRegistry } from '../core/registry.js';
import type { VersionsFile } from '../core/schema/versions/versions-file.js';
import type { WantedOfArchive } from './archives.js';
import { lookAtCharts } from './datasources/charts.js';
import { lookAtDebian } from './datasources/debian.js';
import { lookAtIndex } from './datasources/index-page.js';
import type { ListLookup, Part } from './datasources/part.js';
import { lookAtReleases } from './datasources/releases.js';
import { lookAtVendorApt } from './datasources/vendor-apt.js';

/** Service with a known source of versions. */
export interface ListedService {
  name: string;
  file: VersionsFile;
  /** Versions that this build supports. */
  supported: readonly string[];
  /** Loads its taskserv, which has the keys of its vendor. */
  load: TaskservRegistry[string]['load'];
  /** Archive lookups, if the service comes from the Debian archive. */
  archives?: readonly WantedOfArchive[];
}

/** Queries the source of a service's versions. @throws ProvisioningError by `upstream-errors.ts` */
export async function lookUpstream(
  { file: { upstream }, load, archives = [] }: ListedService,
  looking: ListLookup,
): Promise<Part[]> {
  if (upstream.datasource === 'releases') return lookAtReleases(upstream, looking);
  if (upstream.datasource === 'index') return lookAtIndex(upstream, looking);
  if (upstream.datasource === 'charts') return lookAtCharts(upstream, looking);
  if (upstream.datasource === 'debian') return lookAtDebian(archives, looking);
  return lookAtVendorApt(upstream, (await load()).aptSources ?? [], looking);
}

/** Returns the names of the service's packages in apt lists. */
export function packagesOf({ file: { upstream }, archives = [] }: Pick<ListedService, 'file' | 'archives'>): string[] {
  return [...archives.map((one) => one.package), ...(upstream.datasource === 'vendor-apt' ? [upstream.package] : [])];
}

/** Returns the source of the versions, for a person: `traefik/traefik at api.github.com`. */
export function sourceText({ file: { upstream }, archives = [] }: Pick<ListedService, 'file' | 'archives'>): string {
  if (upstream.datasource === 'releases') return `${upstream.repository} at ${new URL(upstream.api).host}`;
  if (upstream.datasource === 'index') return new URL(upstream.index).host;
  if (upstream.datasource === 'charts') return `chart ${upstream.chart} at ${new URL(upstream.repository).host}`;
  if (upstream.datasource === 'debian') return `${[...new Set(archives.map((one) => one.package))].join(', ')} of Debian`;
  return `${upstream.package} of ${upstream.source}`;
}
