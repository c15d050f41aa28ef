import type { TaskservSpec } from '../../core/definition/definition.js';
import type { AnyTaskserv } from '../../core/taskserv/taskserv.js';
import { findHeldVersion, holdings } from '../../core/versions/release-versions.js';
import { findLockedVersion, type LockSession } from '../lock-file/locked-version.js';
import type { Findings } from '../source/findings.js';
import type { Path } from '../source/problem.js';
import { fits, rangeOf, resolveVersion } from './resolve-version.js';

/** Version that entries declare for a service. */
export interface AskedVersion {
  /** As it is written; absent where nothing is. */
  asked?: string;
  /** The version that it means on any server. Absent if it is invalid, which is already reported. */
  version?: string;
  /** It was chosen from those that fit. */
  chosen?: true;
  /** Place in the file. */
  at: Path;
}

/**
 * Determines the version of a service on a server: the declared one, among those that the archive of its release has.
 *
 * @param server its name, and its release as images are named; undefined if only a look at the host can tell the
 * release
 * @param locking former results of constraints; undefined if they are not stored
 */
export function settleVersion(
  taskserv: AnyTaskserv,
  { asked, version, chosen, at }: AskedVersion,
  { server, release }: { server: string; release: string | undefined },
  findings: Findings,
  locking?: LockSession,
): Pick<TaskservSpec, 'version' | 'constraint' | 'allowed'> {
  const { name, versions } = taskserv;
  const preset = version ?? versions.default;
  const isNamed = asked !== undefined && !chosen;
  const held = versions.further && isNamed ? undefined : findHeldVersion(versions, release);
  if (held === null) findings.value(at, `"${name}" is not for ${release}`, holdings(versions));
  if (asked === undefined || version === undefined) return { version: held ?? preset };
  const byConstraint = chosen && { constraint: asked };
  const kept = (now: string, on?: string) =>
    chosen && locking ? findLockedVersion(taskserv, { server, asked, version: now, at, release: on }, locking, findings) : now;
  if (!versions.releases) return { version: kept(version), ...byConstraint };
  const allowed = versions.supported.filter((one) => isAllowed(one, asked, chosen));
  if (typeof held !== 'string') return { version, ...byConstraint, allowed };
  const resolved = resolveVersion(asked, { name, versions: { ...versions, supported: [held] } });
  if (resolved.version === undefined)
    findings.value([...at, 'version'], `"${name}" has no version "${asked}" on ${release}`, holdings(versions));
  else kept(held, release);
  return { version: held, ...byConstraint, allowed };
}

function isAllowed(version: string, asked: string, chosen?: true): boolean {
  if (!chosen) return version === asked;
  const range = rangeOf(asked);
  return range !== undefined && fits(version, range);
}
