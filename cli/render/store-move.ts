import type { StoreComparison, StoreCopy, StoreKind, StoreMoveResult } from '../../core/engine/store-move.js';
import type { Paint } from '../program/screen.js';
import { KINDS } from './backup/backup.js';
import { renderTable } from './inventory.js';

/** Number of digest characters to show for comparison by people. */
const SHOWN = 12;

const titleOf = (kind: string): string => (KINDS as Readonly<Record<string, string>>)[kind] ?? kind;

/** Renders the comparison of two stores. */
export function renderComparison({ from, to, target, equal, kinds }: StoreComparison, paint: Paint): string {
  const known = { empty: 'it is empty', begun: 'an earlier run of this move wrote to it', moved: 'it is the former store' }[target];
  const verdict = equal ? paint('green', 'equal') : paint('yellow', 'different');
  return `${from} → ${to} (${known}): ${verdict}\n${tableOfKinds(kinds, paint)}`;
}

/** Renders what was copied before the switch. */
export function renderCopy({ from, to, copied, rounds }: StoreCopy, paint: Paint): string {
  if (from === to) return `The platform uses ${to} already.\n`;
  const parts = Object.entries(copied).map(([kind, count]) => `${count} ${titleOf(kind)}`);
  return `${paint('dim', 'copied')} ${parts.join(', ') || 'nothing'} in ${rounds} rounds; ${from} is still in use\n`;
}

/** Renders the result of a move. */
export function renderMove(moved: StoreMoveResult, paint: Paint): string {
  const { from, to, already, heldMs, worker, kinds, notes } = moved;
  if (already) return `The platform uses ${to} already.${worker === 'restarted' ? ' The worker was started.' : ''}\n`;
  const held = worker === 'restarted' ? `; no worker ran for ${(heldMs / 1000).toFixed(1)} s` : '';
  const told = notes.map((note) => `${paint('yellow', 'note:')} ${note}\n`).join('');
  return `${paint('green', 'moved')} from ${from} to ${to}${held}\n${tableOfKinds(kinds, paint)}${told}`;
}

function tableOfKinds(kinds: readonly StoreKind[], paint: Paint): string {
  const rows = kinds.map(({ kind, source, target, missing, changed, additional, names }) => [
    titleOf(kind),
    String(source.records),
    String(target.records),
    source.digest === target.digest ? source.digest.slice(0, SHOWN) : paint('yellow', 'differs'),
    differencesOf({ missing, changed, additional }),
    names.slice(0, 3).join(', '),
  ]);
  return renderTable(['KIND', 'SOURCE', 'TARGET', 'DIGEST', 'DIFFERENCE', 'NAMES'], rows, 'nothing was compared', paint);
}

const differencesOf = (counts: Record<'missing' | 'changed' | 'additional', number>): string =>
  Object.entries(counts)
    .filter(([, count]) => count > 0)
    .map(([how, count]) => `${count} ${how}`)
    .join(', ');
