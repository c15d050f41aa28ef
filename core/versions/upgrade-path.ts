import type { Versions } from '../taskserv/taskserv.js';
import { numbersOf } from './version-change.js';

/** Why a service cannot go from one version to another in one step, and what helps. */
export interface Detour {
  code: 'version-skipped' | 'version-older';
  why: string;
  hint: string;
  /** The version to go to first, where one is skipped. */
  by?: string;
}

/**
 * Returns the obstacle between the present version and the wanted one. Undefined without one.
 *
 * @param from version found on a host
 * @param runs source of the version, if it is not the host: `the definition has 15`
 */
export function findDetour(
  from: string,
  to: string,
  { upgrades }: Pick<Versions, 'upgrades'>,
  runs = `${from} runs there`,
): Detour | undefined {
  if (upgrades === undefined) return undefined;
  const depth = upgrades === 'minor-by-minor' ? 2 : 1;
  const [before, after] = [numbersOf(from), numbersOf(to)];
  const at = Array.from({ length: depth }, (_, index) => index).find((index) => (before[index] ?? 0) !== (after[index] ?? 0));
  if (at === undefined || before.length === 0 || after.length === 0) return undefined;
  const [x = 0, y = 0] = [before[at], after[at]];
  if (y < x)
    return {
      code: 'version-older',
      why: `${runs}, and its data is not for ${to}`,
      hint: 'choose a version that is not older, or restore a backup of the former version on a new server',
    };
  // To the next major version it goes from any minor one, as its makers test it: from the last.
  if (upgrades === 'to-any-newer' || y === x + 1 || (at === 1 && before[at] === undefined)) return undefined;
  const next = [...before.slice(0, at), x + 1].join('.');
  return {
    code: 'version-skipped',
    why: `${runs}, and the upgrade to ${to} leads through ${next}: one ${at === 0 ? 'major' : 'minor'} version at a time`,
    hint: `apply ${next} first`,
    by: next,
  };
}
