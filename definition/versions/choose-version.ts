import type { Definition } from '../../core/definition/definition.js';
import { absentError, inputError } from '../../core/errors.js';
import type { AnyTaskserv } from '../../core/taskserv/taskserv.js';
import { newestFirst } from '../../core/versions/newest-first.js';
import { findHeldVersion, holdings } from '../../core/versions/release-versions.js';
import { findDetour } from '../../core/versions/upgrade-path.js';
import { isOfSeries, numbersOf, type VersionChange, versionChange } from '../../core/versions/version-change.js';
import { resolveVersion } from './resolve-version.js';

type Versioned = Pick<AnyTaskserv, 'name' | 'versions'>;

/** A version that a service is to leave, and where it has it. */
export interface Present {
  /** A server, or the file of a definition. */
  on: string;
  version: string;
  /** Source of the version, if it is not the host: `the definition has 15`. */
  says?: string;
}

const FAR: Readonly<Record<VersionChange, number>> = { patch: 0, minor: 1, major: 2 };

/**
 * Returns the named version if it is supported, or the newest one that a constraint allows.
 *
 * @throws inputError `version-withdrawn`, or `version-unsupported` with the nearest version and all supported ones
 */
export function checkNamedVersion(asked: string, taskserv: Versioned): string {
  const { name, versions } = taskserv;
  const resolved = resolveVersion(asked, taskserv);
  if (resolved.version !== undefined) return resolved.version;
  const what = `upgrade ${name} to ${asked}`;
  const reason = Object.hasOwn(versions.withdrawn ?? {}, asked) ? versions.withdrawn?.[asked] : undefined;
  if (reason !== undefined)
    throw inputError({ code: 'version-withdrawn', what, why: `this version is withdrawn: ${reason}`, hint: resolved.suggestion });
  const near = nearest(asked, usable(taskserv));
  const why = ['this release does not support it', ...(resolved.why === undefined ? [] : [resolved.why])].join(': ');
  const hint = near === undefined ? resolved.suggestion : `nearest: ${near}; ${resolved.suggestion}`;
  throw inputError({ code: 'version-unsupported', what, why, hint });
}

/** The next newer one; else the newest. */
function nearest(asked: string, known: readonly string[]): string | undefined {
  if (numbersOf(asked).length === 0) return undefined;
  return known.findLast((one) => newestFirst(one, asked) < 0) ?? known[0];
}

/** Those that may be installed, newest first. */
const usable = ({ versions: { supported, withdrawn = {} } }: Versioned): string[] =>
  supported.filter((one) => !Object.hasOwn(withdrawn, one)).sort(newestFirst);

/** Whether a service has a version already: `15.20` is one of 15. */
export const hasVersion = ({ version }: Pick<Present, 'version'>, wanted: string): boolean => isOfSeries(version, wanted);

/**
 * Refuses what would bring a service to an older version, or past one that it needs on its way.
 *
 * @throws inputError `version-older`, `version-skipped`
 */
export function refuseWay({ name, versions }: Versioned, to: string, present: readonly Present[]): void {
  for (const { on, version, says } of present) {
    const what = `upgrade ${name} to ${to}`;
    const detour = findDetour(version, to, versions, says);
    if (detour) {
      const { code, why, by, hint } = detour;
      throw inputError({ code, what, on, why, hint: by === undefined ? hint : `upgrade with --to ${by} first` });
    }
    if (hasVersion({ version }, to) || newestFirst(to, version) < 0) continue;
    const why = `${says ?? `${version} runs there`}, which is newer`;
    const hint = `to downgrade, write \`version: ${to}\` into the definition, and apply it; \`workflow rollback\` undoes an upgrade`;
    throw inputError({ code: 'version-older', what, on, why, hint });
  }
}

/**
 * Returns the newest supported version that differs from the present ones at most in this part, and that can be
 * reached from them directly. A version that all servers already have counts. Undefined without one.
 */
export function newestWithin(change: VersionChange, taskserv: Versioned, present: readonly Present[]): string | undefined {
  return usable(taskserv).find((one) => present.every((each) => hasVersion(each, one) || isWithin(each.version, one)));

  function isWithin(from: string, to: string): boolean {
    const differs = versionChange(from, to);
    if (differs === undefined || FAR[differs] > FAR[change] || newestFirst(to, from) >= 0) return false;
    return findDetour(from, to, taskserv.versions) === undefined;
  }
}

/**
 * Refuses a version that the archive of a server's release does not have. For a server with an unknown release, the
 * look at its host decides.
 *
 * @param servers default: all that have it
 * @throws inputError `version-not-in-archive`
 */
export function refuseRelease(
  { name, versions }: Versioned,
  to: string,
  { servers: all }: Pick<Definition, 'servers'>,
  servers?: readonly string[],
): void {
  if (versions.further) return;
  for (const { name: on, image, host, taskservs } of all) {
    if (host || (servers && !servers.includes(on)) || !taskservs.some((one) => one.name === name)) continue;
    const held = findHeldVersion(versions, image);
    if (held === undefined || held === to) continue;
    throw inputError({
      code: 'version-not-in-archive',
      what: `upgrade ${name} to ${to}`,
      on,
      why: `the archive of ${image} has ${held ?? 'none'}`,
      hint: `other releases have other versions: ${holdings(versions)}`,
    });
  }
}

/** The error for an infra without a definition whose versions could change. */
export const noDefinition = (infra: string): Error =>
  absentError({
    code: 'no-definition',
    what: 'upgrade',
    on: infra,
    why: 'the infra has no applied definition',
    hint: 'choose a definition with --file',
  });
