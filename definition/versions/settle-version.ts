import type { TaskservSpec } from '../../core/definition/definition.js';
import type { AnyTaskserv } from '../../core/taskserv/taskserv.js';
import { findHeldVersion, holdings } from '../../core/versions/release-versions.js';
import { findLockedVersion, type LockSession } from '../lock-file/locked-version.js';
import type { Findings } from '../source/findings.js';
import type { Path } from '../source/problem.js';
import { fits, rangeOf, resolveVersion } from './resolve-version.js';

/** What entries say of the version of a service. */
export interface AskedVersion {
  /** As it is written; absent where nothing is. */
  asked?: string;
  /** What that is by itself, whatever the server; absent where it is none, which has been told of. */
  version?: string;
  /** It was chosen from those that fit. */
  chosen?: true;
  /** Where the file says it. */
  at: Path;
}

/**
 * The version that a service is to have on a server: what is asked for, of what the archive of its release holds.
 *
 * @param server its name, and the release that it runs, as images are named; undefined where nobody knows before it is looked at
 * @param locking what constraints came to before; undefined where nothing is kept of that
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
