import type { StoreComparison } from '../../../core/engine/store-move.js';
import { inputError } from '../../../core/errors.js';
import type { Reporter } from '../../../core/report.js';
import { compareStores, countDifferences } from '../../../stores/move/compare-stores.js';
import { judgeTarget, type MoveSides, openMoveSource, openMoveTarget } from './move-sides.js';

/**
 * Compares the store in use with the target of a move, and changes neither: a database without tables stays without.
 *
 * @throws inputError `store-foreign`, `store-former`
 */
export async function checkMove(sides: MoveSides, report: Reporter): Promise<StoreComparison> {
  const { from, to, key } = sides;
  const source = await openMoveSource(sides);
  try {
    const target = (await isNew(sides)) ? undefined : await openMoveTarget(sides);
    try {
      const is = target && from !== to ? await judgeTarget(sides, target) : 'empty';
      const onKind = (kind: string) => report({ task: 'compare', text: kind, state: 'running' });
      const kinds = await compareStores(source, target, key, 'contents', onKind);
      report({ task: 'compare', text: `${from} with ${to}`, state: 'done' });
      return { from, to, target: is, equal: countDifferences(kinds) === 0, kinds };
    } finally {
      await target?.close();
    }
  } finally {
    await source.close();
  }
}

/** Whether the target is a database without tables. */
async function isNew({ target, to }: MoveSides): Promise<boolean> {
  const url = target.PROVISIONING_STORE;
  if (!url) return false;
  const { findTables } = await import('../../../stores/postgres/database.js');
  const found = await findTables(url, target);
  if (found !== 'former') return found === 'none';
  const hint = 'omit --check: the move updates its tables first';
  throw inputError({
    code: 'store-former',
    what: 'compare the stores',
    on: to,
    why: 'its tables belong to an earlier version',
    hint,
  });
}
