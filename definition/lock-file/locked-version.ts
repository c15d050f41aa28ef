import { basename } from 'node:path';
import type { LockEntry } from '../../core/schema/versions/lock-file.js';
import type { AnyTaskserv } from '../../core/taskserv/taskserv.js';
import type { Findings } from '../source/findings.js';
import type { Path } from '../source/problem.js';
import { fits, rangeOf } from '../versions/resolve-version.js';
import type { LockFile } from './read-lock-file.js';

/** Version that a constraint yielded on a server. */
export interface NotedVersion extends Pick<LockEntry, 'asked' | 'release' | 'version'> {
  server: string;
  taskserv: string;
  /** The entry of the definition. */
  at: Path;
}

/** A lock file while a definition is read. */
export interface LockSession {
  file: LockFile;
  infra: string;
  /** A taskserv that is brought to another version: an entry of it that cannot be used is passed over. */
  renewed?: string;
  /** Collected versions of constraints. */
  noted: NotedVersion[];
}

/**
 * The version that a constraint has: the one that it came to before, as long as that can be had; else the one that it comes
 * to now, which is noted. An entry that cannot be used is a problem of the definition: nothing moves silently.
 *
 * @param wanted what is asked, where, and the version that it comes to now: with a release the only one that there is
 */
export function findLockedVersion(
  taskserv: Pick<AnyTaskserv, 'name' | 'versions'>,
  { server, asked, release, version, at }: Omit<NotedVersion, 'taskserv'>,
  { file, infra, renewed, noted }: LockSession,
  findings: Findings,
): string {
  const { name } = taskserv;
  const entry = file.infras[infra]?.[name]?.find((one) => one.asked === asked && one.release === release);
  const fault = entry && faultOf(taskserv, entry, version);
  if (fault !== undefined && renewed !== name)
    findings.value(
      [...at, 'version'],
      `${basename(file.path)} has ${entry?.version} of "${name}" for "${asked}", ${fault}`,
      `provisioning taskserv upgrade ${name} --to ${version}`,
    );
  const chosen = entry && fault === undefined ? entry.version : version;
  noted.push({ server, taskserv: name, asked, ...(release !== undefined && { release }), version: chosen, at });
  return chosen;
}

/** Why an entry cannot be used; undefined where it can. */
function faultOf(
  { versions: { supported, withdrawn = {} } }: Pick<AnyTaskserv, 'versions'>,
  { asked, release, version: locked }: LockEntry,
  now: string,
): string | undefined {
  if (Object.hasOwn(withdrawn, locked)) return `which is withdrawn: ${withdrawn[locked]}`;
  if (release !== undefined) return locked === now ? undefined : `and the archive of ${release} has ${now}`;
  if (!supported.includes(locked)) return 'which this release of the platform does not support';
  const range = rangeOf(asked);
  return range !== undefined && fits(locked, range) ? undefined : 'which is not what is asked for';
}
