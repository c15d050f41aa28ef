import { basename } from 'node:path';
import type { LockEntry, LockedInfra } from '../../core/schema/versions/lock-file.js';
import type { Findings } from '../source/findings.js';
import type { Problem } from '../source/problem.js';
import { isSameInfra } from './lock-text.js';
import type { LockSession, NotedVersion } from './locked-version.js';
import type { LockFile } from './read-lock-file.js';

/** SHA-256 of a version's artifacts, by architecture. */
export type Hashes = NonNullable<LockEntry['sha256']>;

/** Queries the SHA-256 of a version's artifacts. Undefined for a taskserv without artifacts. */
export type HashesOf = (taskserv: string, version: string) => Promise<Hashes | undefined>;

/** The definition's part of its lock file, and the new content once the definition is applied. */
export interface LockUse {
  file: LockFile;
  infra: string;
  noted: readonly NotedVersion[];
  after: LockedInfra;
  hashesOf: HashesOf;
}

/** The entries that constraints make, each once. */
export async function createLockEntries(noted: readonly NotedVersion[], hashesOf: HashesOf): Promise<LockedInfra> {
  const all: Record<string, LockEntry[]> = {};
  for (const { taskserv, asked, release, version } of noted) {
    const entries = all[taskserv] ?? [];
    all[taskserv] = entries;
    if (entries.some((one) => one.asked === asked && one.release === release)) continue;
    const sha256 = release === undefined ? await hashesOf(taskserv, version) : undefined;
    entries.push({ asked, ...(release !== undefined && { release }), version, ...(sha256 && { sha256 }) });
  }
  return all;
}

/**
 * Compares a definition with its lock file. An artifact with another hash is a problem.
 *
 * @param frozen the lock file must already have everything: a missing entry is a problem, too
 */
export async function useLock(
  locking: LockSession,
  hashesOf: HashesOf,
  frozen: boolean,
  findings: Findings,
): Promise<LockUse | Problem[]> {
  const { file, infra, noted } = locking;
  const after = await createLockEntries(noted, hashesOf);
  const name = basename(file.path);
  for (const { taskserv, asked, release, version, at } of noted) {
    const is = (one: LockEntry) => one.asked === asked && one.release === release;
    const [kept, now] = [file.infras[infra]?.[taskserv]?.find(is), after[taskserv]?.find(is)];
    const where = [...at, 'version'];
    if (!kept) {
      const missing = `${name} has no version for "${asked}" of "${taskserv}"${release === undefined ? '' : ` on ${release}`}`;
      if (frozen) findings.value(where, missing, `apply without --frozen-lock, which writes ${version} there`);
      continue;
    }
    // Another version is another artifact, and a change that was asked for.
    if (kept.version !== version) continue;
    for (const arch of ['amd64', 'arm64'] as const) {
      const [before, found] = [kept.sha256?.[arch], now?.sha256?.[arch]];
      if (before === undefined || found === undefined || before === found) continue;
      findings.value(
        where,
        `the artifact of "${taskserv}" ${version} for ${arch} is another one: ${name} has the SHA-256 ${short(before)}, this release has ${short(found)}`,
        `find out why its vendor changed it; if the new artifact is correct, delete the hash from ${name}`,
      );
    }
  }
  const problems: Problem[] = [];
  if (frozen && findings.all.length === 0 && !isSameInfra(file.infras[infra], after)) {
    const message = `it has entries that the infra "${infra}" does not use, or hashes are missing`;
    const suggestion = 'apply without --frozen-lock, which writes it';
    problems.push({ file: file.path, ...file.place(['infras', infra]), path: `infras.${infra}`, message, suggestion });
  }
  return problems.length > 0 ? problems : { file, infra, noted, after, hashesOf };
}

const short = (hash: string): string => `${hash.slice(0, 12)}…`;
