import { newestFirst } from '../core/versions/newest-first.js';
import { isOfSeries, numbersOf, type VersionChange, versionChange } from '../core/versions/version-change.js';

/** Available versions beyond the supported versions, newest first. */
export interface NewerVersions {
  /** Newest patch release of each supported minor version: only the last number differs. */
  patch: string[];
  /** Newest version of each supported major version. */
  minor: string[];
  /** Newest version of all, if its major version is beyond the newest supported version. */
  major: string[];
}

/** Number of leading version numbers that the versions of a line share. */
const COMMON: Readonly<Record<VersionChange, number>> = { patch: 2, minor: 1, major: 0 };

/**
 * Returns the available versions beyond the supported versions. A version between two supported versions was left out
 * on purpose, and does not count as newer.
 *
 * @param listed released versions only
 * @param supported versions, or series such as `15`
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
    // The newest version of a line is enough, and only if no supported version of that line is newer.
    const passed = have.some((one) => lineOf(one, change) === line && newestFirst(one, version) < 0);
    if (passed || lines.has(`${change} ${line}`)) continue;
    lines.add(`${change} ${line}`);
    newer[change].push(version);
  }
  return newer;
}

const lineOf = (version: string, change: VersionChange): string => numbersOf(version).slice(0, COMMON[change]).join('.');

/** Returns the supported versions, or whole series, that are no longer listed. */
export const listGoneVersions = (listed: readonly string[], supported: readonly string[]): string[] =>
  supported.filter((one) => !listed.some((version) => isOfSeries(version, one)));
