import { isDeepStrictEqual } from 'node:util';
import { stringify } from 'yaml';
import { LOCK_FORM, type LockEntry, type LockedInfra } from '../../core/schema/versions/lock-file.js';

/** Locked versions, by infra. */
export type Infras = Readonly<Record<string, LockedInfra>>;

const HEAD = [
  '# The versions that constraints of the definitions in this folder came to. Written by `provisioning apply` and',
  '# `provisioning taskserv upgrade`. Keep it in version control, and do not edit it.',
];

const byName = <T>(record: Readonly<Record<string, T>>): [string, T][] =>
  Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1));

const keyOf = ({ asked, release = '' }: LockEntry): string => `${asked}\n${release}`;

/** The entries of an infra in the order in which a file has them, each with its keys in that order. */
export const sortLocked = (infra: LockedInfra): LockedInfra =>
  Object.fromEntries(
    byName(infra).map(([taskserv, entries]) => [
      taskserv,
      [...entries]
        .sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))
        .map(({ asked, release, version, sha256 }): LockEntry => {
          const { amd64, arm64 } = sha256 ?? {};
          const hashes = sha256 && { sha256: { ...(amd64 && { amd64 }), ...(arm64 && { arm64 }) } };
          return { asked, ...(release !== undefined && { release }), version, ...hashes };
        }),
    ]),
  );

/** Reports whether both lock the same. An infra without entries equals a missing one. */
export const isSameInfra = (one: LockedInfra = {}, other: LockedInfra = {}): boolean =>
  isDeepStrictEqual(sortLocked(one), sortLocked(other));

/** The text of a lock file: the same entries make the same text. Undefined where there is nothing to say. */
export function lockText(infras: Infras): string | undefined {
  const said = byName(infras).filter(([, infra]) => Object.keys(infra).length > 0);
  if (said.length === 0) return undefined;
  const all = { lockfile: LOCK_FORM, infras: Object.fromEntries(said.map(([name, infra]) => [name, sortLocked(infra)])) };
  return `${HEAD.join('\n')}\n${stringify(all, { lineWidth: 0, aliasDuplicateObjects: false })}`;
}
