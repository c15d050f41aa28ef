import { setCurrentDetails, upsertSearchAttributes } from '@temporalio/workflow';
import type { Closed } from '../../activities/batch/watch-batch.js';
import { SEARCH_ATTRIBUTES } from '../../core/names.js';
import {
  type BatchOperation,
  type BatchReport,
  type BatchRequest,
  type BatchState,
  type BatchStatus,
  batchOperationId,
} from '../../core/operation/batch.js';
import { BatchLedger } from '../../core/operation/batch-ledger.js';
import type { By, ControlAction } from '../../core/operation/control.js';
import { questionAboutCancel } from './batch-control.js';

/** Reasons that are kept in the batch's own books; of later ones the operation itself knows. */
const REASONS = 100;

export type Books = ReturnType<typeof openBatch>;

/** The books of a batch, new or handed on by the run before. */
export function openBatch(request: BatchRequest, before?: BatchState) {
  const { id, name, workspace, onFailure, parallel, accounts, operations, pageSize, pages, stages, actor } = request;
  const gated = request.approve?.includes('per-batch-stage') ?? false;
  const state: BatchState = before ?? {
    batch: id,
    name,
    workspace,
    status: 'running',
    onFailure,
    parallel,
    accounts,
    operations,
    pageSize,
    pages,
    stages,
    marks: '.'.repeat(operations),
    again: {},
    why: {},
    undecided: [],
    approved: gated ? 1 : stages.length,
    control: [],
    continued: 0,
    actor,
  };
  const ledger = new BatchLedger(state.marks);
  // What the run before may have heard and not used: asking again is answered the same.
  const grantedNow = new Set([...ledger.indices('asking'), ...ledger.indices('undoing')]);
  const died: { infra: string; operation: string }[] = [];

  const generationOf = (index: number) => state.again[index] ?? 1;
  const idOf = (index: number) => batchOperationId(id, index, generationOf(index), ledger.mark(index) === 'undoing');
  const indexOf = (operation: string) => Number(operation.slice(id.length + 1).split('-')[0]) - 1;

  const books = {
    request,
    state,
    ledger,
    /** Counts what happened: whoever waits looks again when it changes. */
    version: 0,
    died,
    generationOf,
    idOf,

    /** A report of an operation; those of earlier tries and of what is not at work are passed over. */
    settle(report: BatchReport): void {
      const { index, operation, status, why, left } = report;
      const mark = ledger.mark(index);
      if (idOf(index) !== operation || !['running', 'asking', 'undoing'].includes(mark)) return;
      books.version++;
      if (mark === 'undoing') {
        ledger.set(index, status === 'done' ? 'undone' : 'left');
        if (status !== 'done')
          books.because(
            index,
            `${why ?? 'it could not be rolled back'} (provisioning workflow rollback ${batchOperationId(request.of ?? id, index, generationOf(index))})`,
          );
        return;
      }
      ledger.set(index, status);
      if (status === 'done') return;
      books.because(index, left ? `${why}; left: ${left.join(', ')}` : (why ?? status));
      if (status === 'canceled' && state.stopping) return;
      if (onFailure === 'rollback') books.stop('failure');
      else if (onFailure === 'ask' && !state.stopping) state.undecided.push(index);
    },

    because(index: number, why: string): void {
      if (Object.keys(state.why).length < REASONS) state.why[index] = why.slice(0, 400);
    },

    /** One that closed without a word: its lock is given up, too. */
    bury({ operation, how, infra = ledger.operation(indexOf(operation))?.infra }: Closed): void {
      const index = indexOf(operation);
      if (idOf(index) !== operation || !['running', 'undoing'].includes(ledger.mark(index))) return;
      if (infra) died.push({ infra, operation });
      const why = how === 'TERMINATED' ? 'it was terminated from outside' : `it ended without a report (${how.toLowerCase()})`;
      books.settle({ index, operation, status: 'failed', why });
    },

    granted(operations: string[]): void {
      for (const operation of operations) {
        const index = indexOf(operation);
        if (idOf(index) === operation) grantedNow.add(index);
      }
      books.version++;
    },

    /** Whether a lock has come for it since it was asked for. */
    takeGranted: (index: number): boolean => grantedNow.delete(index),
    grantedOnes: (): number[] => [...grantedNow].sort((a, b) => a - b),

    note(did: ControlAction, { actor: by, why }: By, step?: string): void {
      state.control.push({ at: new Date(Date.now()).toISOString(), actor: by, did, ...(why && { why }), ...(step && { step }) });
      books.version++;
    },

    stop(why: 'failure' | 'canceled'): void {
      if (state.undo) return;
      if (state.stopping !== 'canceled') state.stopping = why;
      state.undecided = [];
      books.version++;
    },

    /** Whether everything before the next stage is over, and that one waits. */
    waitsForApproval: (): boolean =>
      !state.stopping &&
      !state.undo &&
      !state.unsigned &&
      state.approved < stages.length &&
      state.undecided.length === 0 &&
      ledger.count('running', 'asking') === 0 &&
      firstWaitingStage() >= state.approved,

    load(first: number, page: readonly BatchOperation[]): void {
      ledger.load(first, page);
    },

    /** Shows where it stands. */
    show(): void {
      const approval = books.waitsForApproval()
        ? `stage ${state.approved + 1} of ${stages.length} waits for an approval`
        : undefined;
      const one = state.undecided[0];
      const failure =
        one === undefined
          ? undefined
          : `${state.undecided.length} failed, the first ${idOf(one)}: ${state.why[one] ?? 'see its own record'}. retry, skip, keep, rollback-branch or rollback?`;
      state.waiting = state.unsigned ? questionAboutCancel(state.unsigned) : (failure ?? approval);
      const idle = ledger.count('running', 'asking', 'undoing') === 0;
      enter(state.undo ? 'rolling-back' : state.waiting && (idle || state.unsigned) ? 'waiting' : 'running');
      setCurrentDetails(detailsOf(state, ledger));
    },

    snapshot: (): BatchState => ({ ...state, marks: ledger.marks }),

    /** The end: what was not begun is canceled. */
    conclude(): BatchState {
      // What failed in the batch that this one rolls back is no failure of its own.
      const failed = ledger.count('left', ...(request.of ? [] : (['failed'] as const))) > 0;
      // Stopped by a person before anything was done, there was nothing to roll back.
      const back = state.stopping === 'failure' && (ledger.count('undone', 'left') > 0 || !failed);
      state.waiting = undefined;
      enter(state.stopping === 'canceled' ? 'canceled' : back ? 'rolled-back' : failed ? 'failed' : 'done');
      setCurrentDetails(detailsOf(state, ledger));
      return books.snapshot();
    },
  };

  function firstWaitingStage(): number {
    const index = ledger.first('waiting');
    let before = 0;
    if (index < 0) return -1;
    return stages.findIndex((size) => {
      before += size;
      return index < before;
    });
  }

  function enter(status: BatchStatus): void {
    if (status === state.status) return;
    state.status = status;
    const attention = status === 'waiting' ? [state.unsigned ? 'cancel' : 'decision'] : ledger.count('left') > 0 ? ['left'] : [];
    upsertSearchAttributes({ [SEARCH_ATTRIBUTES.status]: [status], [SEARCH_ATTRIBUTES.attention]: attention });
  }

  return books;
}

function detailsOf({ name, status, operations, waiting, parallel }: BatchState, ledger: BatchLedger): string {
  const counts = (['running', 'asking', 'waiting', 'done', 'failed', 'skipped', 'canceled', 'undoing', 'undone', 'left'] as const)
    .map((mark) => [mark, ledger.count(mark)] as const)
    .filter(([, count]) => count > 0)
    .map(([mark, count]) => `${count} ${mark}`);
  return [
    `**${name}**: ${status}, ${operations} operations, at most ${parallel} at once`,
    '',
    counts.join(', '),
    ...(waiting ? ['', `> ${waiting}`] : []),
  ].join('\n');
}
