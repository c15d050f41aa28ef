import { newestFirst } from '../core/versions/newest-first.js';
import { isOfSeries, numbersOf, type VersionChange, versionChange } from '../core/versions/version-change.js';

/** Versions that there are beyond those that are supported, newest first. */
export interface NewerVersions {
  /** The newest one of each supported minor version: it differs in the last number alone. */
  patch: string[];
  /** The newest one of each supported major version. */
  minor: string[];
  /** The newest one of all, where that is of a major version beyond the newest supported one. */
  major: string[];
}

/** How many numbers the versions of a line have in common. */
const COMMON: Readonly<Record<VersionChange, number>> = { patch: 2, minor: 1, major: 0 };

/**
 * What there is beyond the supported versions. What lies between supported ones was left out by somebody who knew of it,
 * and is not newer.
 *
 * @param listed released versions alone
 * @param supported versions, or series as `15`
 */
export function newerVersions(listed: readonly string[], supported: readonly string[]): NewerVersions {
  const newer: NewerVersions = { patch: [], minor: [], major: [] };
  const lines = new Set<string>();
  const have = [...supported].sort(newestFirst);
  for (const version of [...listed].sort(newestFirst)) {
    if (have.some((one) => isOfSeries(version, one))) continue;
    const below = have.find((one) => newestFirst(one, version) > 0);
    const change = below === undefined ? undefined : versionChange(below, version);
    if (change === undefined) continue;
    const line = lineOf(version, change);
    // The newest one of a line is enough, and only where no supported one of that line is newer.
    const passed = have.some((one) => lineOf(one, change) === line && newestFirst(one, version) < 0);
    if (passed || lines.has(`${change} ${line}`)) continue;
    lines.add(`${change} ${line}`);
    newer[change].push(version);
  }
  return newer;
}

const lineOf = (version: string, change: VersionChange): string => numbersOf(version).slice(0, COMMON[change]).join('.');

/** Supported versions that are not listed any more: of a series, none is. */
export const listGoneVersions = (listed: readonly string[], supported: readonly string[]): string[] =>
  supported.filter((one) => !listed.some((version) => isOfSeries(version, one)));
