import type { TaskservSpec } from '../../core/definition/definition.js';
import type { PackageChange } from '../../core/host/archive.js';
import type { Inventory } from '../../core/infra/inventory.js';
import type { HostStatus } from '../../core/operation/host-status.js';
import { newestFirst } from '../../core/versions/newest-first.js';
import { isOfSeries, type VersionChange, versionChange } from '../../core/versions/version-change.js';
import { fits, rangeOf } from '../../definition/versions/resolve-version.js';
import type { KnownVersions } from './known-versions.js';

/** Which version a service of a host runs, and which newer ones there are for it. */
export interface ServiceVersions {
  infra: string;
  server: string;
  taskserv: string;
  /** The version that it should have. */
  version: string;
  /** Versions that its definition allows, unless it names a single one. */
  constraint?: string;
  /** The version found on the host; absent if it was not found, or the host could not be read. */
  installed?: string;
  /** Newer version of its Debian package in the host's archive. */
  newer?: PackageChange;
  /** The newest version that its definition allows. */
  wanted: string;
  /** The newest supported version that differs in the last number, in the second, in the first. */
  patch?: string;
  minor?: string;
  major?: string;
  /** The last day on which the vendor supports the version that it should have. */
  endOfLife?: string;
  /** Why that version must not be installed any more. */
  withdrawn?: string;
  /** Why its host could not be queried. */
  why?: string;
}

/** Returns whether a newer version exists, or the version should not be used any more. @param today as `2026-11-26` */
export const isOutdated = (one: ServiceVersions, today: string): boolean =>
  [one.newer, one.patch, one.minor, one.major, one.withdrawn].some((newer) => newer !== undefined) ||
  (one.endOfLife !== undefined && one.endOfLife < today);

/**
 * Returns the services of an infra with their versions, by server and name.
 *
 * @param hosts as they were just observed
 * @param known by platform taskserv; a taskserv of a workspace has one version, which its module defines
 */
export function serviceVersions(
  { infra, servers, definition }: Inventory,
  hosts: readonly HostStatus[],
  known: Readonly<Record<string, KnownVersions>>,
  taskserv?: string,
): ServiceVersions[] {
  const specs = new Map(definition?.servers.map(({ name, taskservs }) => [name, taskservs]));
  return hosts.flatMap(({ server, services, why, stopped }) => {
    const wanted = specs.get(server) ?? [];
    const recorded = Object.values(servers[server]?.services ?? {}).filter(
      (one) => !wanted.some(({ name }) => name === one.taskserv),
    );
    const all: Wanted[] = [...wanted, ...recorded.map(({ taskserv, version, module }) => ({ name: taskserv, version, module }))];
    const unseen = why ?? (stopped === undefined ? undefined : 'it is switched off');
    return all
      .filter(({ name }) => taskserv === undefined || name === taskserv)
      .sort((a, b) => (a.name < b.name ? -1 : 1))
      .map((spec): ServiceVersions => {
        const found = services?.find((one) => one.taskserv === spec.name);
        const { installed, newer } = found ?? {};
        const platform = spec.module === undefined && Object.hasOwn(known, spec.name) ? known[spec.name] : undefined;
        return {
          ...{ infra, server, taskserv: spec.name, version: versionThere(spec, installed, platform) },
          ...(spec.constraint !== undefined && { constraint: spec.constraint }),
          ...(installed !== undefined && { installed }),
          ...(newer && { newer }),
          ...newerFor({ ...spec, version: versionThere(spec, installed, platform) }, installed, platform),
          ...(unseen !== undefined && { why: unseen }),
        };
      });
  });
}

/**
 * Returns the version that a service should have. If the archive of its host decides, it is the version that has a
 * package there.
 */
function versionThere({ version, allowed }: Wanted, installed: string | undefined, known?: KnownVersions): string {
  if (installed === undefined || allowed !== undefined || !known?.versions.some(byArchive)) return version;
  return known.versions.find((one) => isOfSeries(installed, one.version))?.version ?? version;
}

/** The archive of a host decides whether it gets this one: another release of the system has it, not an upgrade of the service. */
const byArchive = ({ releases }: KnownVersions['versions'][number]): boolean => releases !== undefined;

type Wanted = Pick<TaskservSpec, 'name' | 'version' | 'constraint' | 'allowed' | 'module'>;

type Newer = Pick<ServiceVersions, 'wanted' | VersionChange | 'endOfLife' | 'withdrawn'>;

function newerFor(
  { version, constraint }: Pick<TaskservSpec, 'version' | 'constraint'>,
  installed = version,
  known?: KnownVersions,
): Newer {
  const supported = (known?.versions ?? [])
    .filter((one) => one.withdrawn === undefined && !byArchive(one))
    .map((one) => one.version);
  const range = constraint === undefined ? undefined : rangeOf(constraint);
  const wanted = range === undefined ? undefined : supported.find((one) => fits(one, range));
  const newer: Newer = { wanted: wanted ?? version };
  for (const one of supported) {
    if (isOfSeries(installed, one) || newestFirst(one, installed) >= 0) continue;
    const change = versionChange(installed, one);
    if (change && newer[change] === undefined) newer[change] = one;
  }
  const { endOfLife, withdrawn } = known?.versions.find((one) => one.version === version) ?? {};
  return { ...newer, ...(endOfLife !== undefined && { endOfLife }), ...(withdrawn !== undefined && { withdrawn }) };
}
