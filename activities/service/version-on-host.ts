import type { TaskservSpec } from '../../core/definition/definition.js';
import { inputError } from '../../core/errors.js';
import type { AnyTaskserv, HostContext } from '../../core/taskserv/taskserv.js';
import { findHeldVersion, holdings } from '../../core/versions/release-versions.js';

/** The version that a host gets: what the archive of its release holds, where that decides. */
export const versionOn = (
  { versions }: Pick<AnyTaskserv, 'versions'>,
  { version }: Pick<TaskservSpec, 'version'>,
  { release }: Pick<HostContext, 'release'>,
): string => (versions.further ? version : (findHeldVersion(versions, release) ?? version));

/**
 * Throws `version-not-in-archive` where the archive of a host holds no version that its definition allows. A named version
 * that may come from further sources is left to apt; where none is named, the host was looked at for another one.
 */
export function refuseOtherRelease(
  { name, versions }: Pick<AnyTaskserv, 'name' | 'versions'>,
  { version, constraint, allowed }: Pick<TaskservSpec, 'version' | 'constraint' | 'allowed'>,
  { name: on, release }: Pick<HostContext, 'name' | 'release'>,
): void {
  const held = findHeldVersion(versions, release);
  const isNamed = allowed !== undefined && constraint === undefined;
  if (versions.further && (isNamed || held === version)) return;
  if (held === undefined || (!versions.further && held !== null && (allowed === undefined || allowed.includes(held)))) return;
  throw inputError({
    code: 'version-not-in-archive',
    what: `install ${name}${allowed === undefined ? '' : ` ${constraint ?? version}`}`,
    on,
    why: held === null ? `it does not support ${release}` : `the archive of ${release} has ${held}`,
    hint: hintOf(),
  });
  function hintOf(): string {
    if (held === null) return holdings(versions);
    return `${versions.further ? '' : 'leave the version out, or '}write "${held}"; ${holdings(versions)}`;
  }
}
