import type { BatchOperation } from '../schema/batch-request.js';
import { type BatchMark, type BatchRow, type BatchState, batchOperationId, type Indices, includes, MARK_OF } from './batch.js';
import { isBad, isOver } from './batch-ledger.js';

/** Counts by mark; what does not occur is not there. */
export function countMarks(marks: string): Partial<Record<BatchMark, number>> {
  const counts: Partial<Record<BatchMark, number>> = {};
  for (const letter of marks) {
    const mark = MARK_OF[letter] as BatchMark;
    counts[mark] = (counts[mark] ?? 0) + 1;
  }
  return counts;
}

/**
 * Returns the records of some operations of a batch: their states and reasons. An id is the one that the operation has
 * once it begins. A canceled operation may not have begun. An operation without effects needs no roll-back.
 *
 * @param all every operation of the batch
 */
export function rowsOf(state: BatchState, all: readonly BatchOperation[], indices: readonly number[]): BatchRow[] {
  const atWork = new Map<string, number>();
  let running = 0;
  all.forEach(({ accounts }, index) => {
    if (markAt(state, index) !== 'running') return;
    running++;
    for (const account of accounts) atWork.set(account, (atWork.get(account) ?? 0) + 1);
  });
  return indices.map((index) => {
    const { name, kind, verb, infra, stage } = all[index] as BatchOperation;
    const mark = markAt(state, index);
    const begun = !['waiting', 'asking', 'skipped'].includes(mark);
    const operation = batchOperationId(state.of ?? state.batch, index, state.again[index]);
    const undo = batchOperationId(state.batch, index, state.again[index], true);
    const why = state.why[index] ?? reasonOf(state, all, index, mark, running, atWork);
    const ids = { ...(begun && { operation }), ...(isBack(mark) && { undo }) };
    return { index, name, kind, verb, infra, stage, mark, ...ids, ...(why && { why }) };
  });
}

/** It is, was or should have been rolled back. */
const isBack = (mark: BatchMark): boolean => ['undoing', 'undone', 'left'].includes(mark);

const markAt = ({ marks }: BatchState, index: number): BatchMark => MARK_OF[marks[index] as string] as BatchMark;

function reasonOf(
  state: BatchState,
  all: readonly BatchOperation[],
  index: number,
  mark: BatchMark,
  running: number,
  atWork: Map<string, number>,
): string | undefined {
  const { needs, after, stage, accounts } = all[index] as BatchOperation;
  const named = (other: number) => `"${all[other]?.name}", which is ${markAt(state, other)}`;
  if (mark === 'undone' && includes(state.nothing, index)) return 'nothing to undo';
  if (mark === 'skipped') {
    const bad = find(needs, (other) => isBad(markAt(state, other)));
    return bad === undefined ? 'a person skipped it' : `it needs ${named(bad)}`;
  }
  if (mark === 'failed') return 'its own record says why';
  if (mark === 'canceled') return state.cut ? 'the batch was terminated before it began' : 'the batch was stopped';
  if (mark === 'superseded') return 'its infra had received a definition that was submitted later';
  if (mark === 'asking') return 'waits for a lock of its infra';
  if (mark !== 'waiting') return undefined;
  const need = find(needs, (other) => !isOver(markAt(state, other)));
  if (need !== undefined) return `needs ${named(need)}`;
  const failed = find(needs, (other) => isBad(markAt(state, other)));
  if (failed !== undefined) return `waits for a decision about ${named(failed)}`;
  const soft = find(after, (other) => !isOver(markAt(state, other)));
  if (soft !== undefined) return `comes after ${named(soft)}`;
  if (stage >= state.approved) return `waits for the approval of stage ${stage + 1}`;
  if (state.undecided.length > 0 && state.status === 'waiting') return 'waits for a decision about what failed';
  if (running >= state.parallel) return `waits for a place: ${running} of ${state.parallel} are at work`;
  const full = accounts.find((account) => (atWork.get(account) ?? 0) >= (state.accounts[account] ?? Number.POSITIVE_INFINITY));
  if (full) return `waits for the account "${full}": ${atWork.get(full)} of ${state.accounts[full]} are at work`;
  return 'is about to begin';
}

function find(indices: Indices = [], wanted: (index: number) => boolean): number | undefined {
  for (const one of indices) {
    const [first, last] = typeof one === 'number' ? [one, one] : one;
    for (let index = first; index <= last; index++) if (wanted(index)) return index;
  }
  return undefined;
}
