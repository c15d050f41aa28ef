import { ApplicationFailure } from '@temporalio/workflow';
import type { BatchDecision } from '../core/batch.js';
import type { By } from '../core/control.js';
import type { Books } from './batch-books.js';

type Answer = By & { decision: BatchDecision };

/** Refuses an answer that nothing asks for. Taking back may be asked for at any time. */
export function refuseDecision({ state }: Books, { decision }: Answer): void {
  const busy = state.stopping !== undefined || state.undo !== undefined;
  if (busy) throw ApplicationFailure.nonRetryable('it is being stopped already', 'not-running');
  if (decision === 'rollback' || state.undecided.length > 0) return;
  throw ApplicationFailure.nonRetryable('no failed operation waits for a decision', 'not-waiting');
}

/** Does what a person decided about the failed operations. */
export function decideBatch(books: Books, { decision, ...by }: Answer): string {
  const { state, ledger } = books;
  const failed = state.undecided.splice(0);
  const about = `${failed.length} failed operations`;
  if (decision === 'rollback') {
    books.note('rollback', by, 'the whole batch');
    state.onFailure = 'rollback';
    books.stop('failure');
    return `the whole batch is taken back, as ${by.actor} says`;
  }
  books.note(
    decision === 'retry' ? 'retried' : decision === 'skip' ? 'skipped' : decision === 'keep' ? 'keep' : 'rollback',
    by,
    about,
  );
  for (const index of failed) {
    if (decision === 'retry') {
      state.again[index] = books.generationOf(index) + 1;
      delete state.why[index];
      ledger.set(index, 'waiting');
    } else if (decision === 'skip') ledger.set(index, 'skipped');
  }
  if (decision === 'rollback-branch') state.branch = true;
  return `${decision} of ${about}, as ${by.actor} says`;
}
