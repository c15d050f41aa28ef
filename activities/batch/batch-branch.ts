import { compact, each, type Indices, MARKS } from '../../core/operation/batch.js';
import type { BatchOperation } from '../../core/schema/batch-request.js';

/**
 * Finds the failed branch: finished operations that failed ones needed, directly or indirectly, and that no other
 * finished operation needs.
 */
export function findFailedBranch(operations: readonly BatchOperation[], marks: string): Indices {
  const branch: number[] = [];
  const neededByFailed = new Set<number>();
  const neededByOthers = new Set<number>();
  // From the end: whoever needs an operation comes after it.
  for (let index = operations.length - 1; index >= 0; index--) {
    const done = marks[index] === MARKS.done;
    const inBranch = done && neededByFailed.has(index) && !neededByOthers.has(index);
    if (inBranch) branch.push(index);
    const into = inBranch || marks[index] === MARKS.failed ? neededByFailed : done ? neededByOthers : undefined;
    if (into) for (const need of each(operations[index]?.needs)) into.add(need);
  }
  return compact(branch.reverse());
}
