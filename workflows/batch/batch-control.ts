import { ApplicationFailure } from '@temporalio/workflow';
import type { BatchDecision, BatchState } from '../../core/operation/batch.js';
import type { BatchLedger } from '../../core/operation/batch-ledger.js';
import { type ControlAction, type Controller, UNKNOWN_ACTOR } from '../../core/operation/control.js';
import type { BatchRequest } from '../../core/schema/batch-request.js';

type Answer = Controller & { decision: BatchDecision };

/** The books of a batch, as far as people control it (`Books` of batch-books.ts). */
interface ControlledBooks {
  readonly request: Pick<BatchRequest, 'id' | 'actor'>;
  readonly state: BatchState;
  readonly ledger: Pick<BatchLedger, 'set'>;
  generationOf(index: number): number;
  note(did: ControlAction, by: Controller, step?: string): void;
  stop(why: 'failure' | 'canceled'): void;
}

/**
 * Handles a cancel that did not come through the platform. Any user of Temporal can send one, so the batch begins
 * nothing new and asks a person about it.
 */
export function askAboutCancel(books: ControlledBooks): void {
  const { state } = books;
  if (state.stopping || state.undo) return;
  state.unsigned = new Date(Date.now()).toISOString();
  books.note('cancel', { actor: UNKNOWN_ACTOR });
}

/** Question to a person after such a cancel. */
export const questionAboutCancel = (at: string): string =>
  `Temporal was told at ${at} to cancel it, and nobody signed that. resume, keep, rollback or cancel?`;

/** Actor and reason of stopping the running operations. */
export function stopper({ state, request }: ControlledBooks): Controller {
  const last = state.control.at(-1);
  if (last?.did === 'cancel' || last?.did === 'rollback') return { actor: last.actor, ...(last.why ? { why: last.why } : {}) };
  return { actor: request.actor, why: `another operation of ${request.id} failed` };
}

/** Refuses a cancel of what is being stopped, or is over. */
export function refuseCancel({ state }: ControlledBooks): void {
  if (state.stopping || state.undo) throw ApplicationFailure.nonRetryable(whyNoMore(state), 'not-running');
}

/** Nothing was to be rolled back: the last run may still wait for the store. */
const isOver = ({ stopping, undo }: BatchState): boolean => !stopping && undo?.length === 0;

const whyNoMore = (state: BatchState): string => (isOver(state) ? 'it has ended' : 'it is being stopped already');

/** Refuses an answer that nothing asks for. Rolling back may be asked for at any time. */
export function refuseDecision({ state }: ControlledBooks, { decision }: Answer): void {
  if (isOver(state)) throw ApplicationFailure.nonRetryable(whyNoMore(state), 'not-waiting');
  const busy = state.stopping !== undefined || state.undo !== undefined;
  if (busy) throw ApplicationFailure.nonRetryable(whyNoMore(state), 'not-running');
  const wanted = state.unsigned ? ['resume', 'keep', 'rollback'].includes(decision) : decision !== 'resume';
  if (wanted && (state.unsigned || decision === 'rollback' || state.undecided.length > 0)) return;
  throw ApplicationFailure.nonRetryable('no failed operation waits for a decision', 'not-waiting');
}

/** Does what a person decided about the failed operations. */
export function decideBatch(books: ControlledBooks, { decision, ...by }: Answer): string {
  const { state, ledger } = books;
  const unsigned = state.unsigned;
  state.unsigned = undefined;
  if (decision === 'resume') {
    books.note('resumed', by);
    return `goes on, as ${by.actor} says`;
  }
  if (unsigned && decision === 'keep') {
    books.note('keep', by, 'the whole batch');
    state.onFailure = 'keep';
    state.letsRun = true;
    books.stop('canceled');
    return `nothing more is begun and nothing rolled back, as ${by.actor} says`;
  }
  const failed = state.undecided.splice(0);
  const about = `${failed.length} failed operations`;
  if (decision === 'rollback') {
    books.note('rollback', by, 'the whole batch');
    state.onFailure = 'rollback';
    books.stop('failure');
    return `the whole batch is rolled back, as ${by.actor} says`;
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
