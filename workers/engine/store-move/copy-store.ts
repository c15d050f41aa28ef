import type { StoreCopy } from '../../../core/engine/store-move.js';
import type { Reporter } from '../../../core/report.js';
import { copyRound } from '../../../stores/move/copy-round.js';
import type { StoreRecords } from '../../../stores/records.js';
import { judgeTarget, type MoveSides } from './move-sides.js';

/** A round that finds no more than this leaves the rest to the hold. */
const LITTLE = 20;
/** Number of rounds after which a platform is held even if it still changes as fast as it is copied. */
const MOST_ROUNDS = 8;

/** The two stores, opened. */
export interface OpenSides {
  source: StoreRecords;
  target: StoreRecords;
}

/**
 * Copies all records while operations run, then the changes since. The second round also compares contents that are
 * addressed by their hash. The target gets the mark of this move before the first record.
 *
 * @throws inputError `store-foreign`
 */
export async function copyStore(sides: MoveSides, { source, target }: OpenSides, report: Reporter): Promise<StoreCopy> {
  const { setUp, from, to, key } = sides;
  await judgeTarget(sides, target);
  await target.moves.write({ state: 'filling', setUp, other: from });
  const copied: Record<string, number> = {};
  let rounds = 0;
  for (let changes = Number.POSITIVE_INFINITY; rounds < 2 || (changes > LITTLE && rounds < MOST_ROUNDS); ) {
    rounds++;
    let found = 0;
    const onRecord = (kind: string) => {
      copied[kind] = (copied[kind] ?? 0) + 1;
      if (++found % 100 === 0) report({ task: 'copy', text: `round ${rounds}: ${found} records`, state: 'running' });
    };
    changes = await copyRound({ source, target, key, reading: rounds === 2 ? 'contents' : 'names', onRecord });
    report({ task: 'copy', text: `round ${rounds}: ${changes} records`, state: 'running' });
  }
  report({ task: 'copy', text: `${Object.values(copied).reduce((sum, one) => sum + one, 0)} records to ${to}`, state: 'done' });
  return { from, to, copied, rounds };
}
