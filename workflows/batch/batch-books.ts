import { setCurrentDetails, upsertSearchAttributes } from '@temporalio/workflow';
import type { ClosedOperation } from '../../activities/batch/watch-batch.js';
import { SEARCH_ATTRIBUTES } from '../../core/names.js';
import { type BatchReport, type BatchState, type BatchStatus, batchOperationId } from '../../core/operation/batch.js';
import { BatchLedger } from '../../core/operation/batch-ledger.js';
import type { ControlAction, Controller } from '../../core/operation/control.js';
import type { BatchRequest } from '../../core/schema/batch-request.js';
import { questionAboutCancel } from './batch-control.js';

/** Number of reasons in the batch's own record. The operation itself has later ones. */
const REASONS = 100;

/** The books of a batch, new or handed on by the run before. */
export class Books {
  readonly request: BatchRequest;
  readonly state: BatchState;
  readonly ledger: BatchLedger;
  /** Counts what happened: whoever waits looks again when it changes. */
  version = 0;
  /** Those that closed without a word, until their locks are given up. */
  readonly died: { infra: string; operation: string }[] = [];
  readonly #grantedNow: Set<number>;

  constructor(request: BatchRequest, before?: BatchState) {
    this.request = request;
    this.state = before ?? newState(request);
    this.ledger = new BatchLedger(this.state.marks);
    // The former run may have received grants without using them. A repeated request gets the same answer.
    this.#grantedNow = new Set([...this.ledger.indices('asking'), ...this.ledger.indices('undoing')]);
  }

  generationOf(index: number): number {
    return this.state.again[index] ?? 1;
  }

  idOf(index: number): string {
    return batchOperationId(this.request.id, index, this.generationOf(index), this.ledger.mark(index) === 'undoing');
  }

  /** Records a report of an operation. Reports of earlier attempts and of operations that do not run are ignored. */
  settle(report: BatchReport): void {
    const { index, operation } = report;
    const mark = this.ledger.mark(index);
    if (this.idOf(index) !== operation || !['running', 'asking', 'undoing'].includes(mark)) return;
    this.version++;
    if (mark === 'undoing') this.#settleUndo(report);
    else this.#settleWork(report);
  }

  /** One that closed without a word: its lock is given up, too. */
  bury({ operation, how, infra = this.ledger.operation(this.#indexOf(operation))?.infra }: ClosedOperation): void {
    const index = this.#indexOf(operation);
    if (this.idOf(index) !== operation || !['running', 'undoing'].includes(this.ledger.mark(index))) return;
    if (infra) this.died.push({ infra, operation });
    const why = how === 'TERMINATED' ? 'it was terminated from outside' : `it ended without a report (${how.toLowerCase()})`;
    this.settle({ index, operation, status: 'failed', why });
  }

  granted(operations: string[]): void {
    for (const operation of operations) {
      const index = this.#indexOf(operation);
      if (this.idOf(index) === operation) this.#grantedNow.add(index);
    }
    this.version++;
  }

  /** Their locks are asked for once more, as if they had come. */
  askAgain(indices: number[]): void {
    for (const index of indices) this.#grantedNow.add(index);
    this.version++;
  }

  /** A lock that has come for it since it was asked for is made use of. */
  takeGranted(index: number): void {
    this.#grantedNow.delete(index);
  }

  grantedOnes(): number[] {
    return [...this.#grantedNow].sort((a, b) => a - b);
  }

  note(did: ControlAction, { actor: by, why }: Controller, step?: string): void {
    const at = new Date(Date.now()).toISOString();
    this.state.control.push({ at, actor: by, did, ...(why && { why }), ...(step && { step }) });
    this.version++;
  }

  stop(why: 'failure' | 'canceled'): void {
    const { state } = this;
    if (state.undo) return;
    if (state.stopping !== 'canceled') state.stopping = why;
    state.undecided = [];
    this.version++;
  }

  /** Whether everything before the next stage is over, and that one waits. */
  waitsForApproval(): boolean {
    const { state, ledger } = this;
    if (state.stopping || state.undo || state.unsigned || state.undecided.length > 0) return false;
    if (state.approved >= this.request.stages.length || ledger.count('running', 'asking') > 0) return false;
    return this.#firstWaitingStage() >= state.approved;
  }

  /** Shows where it stands. */
  show(): void {
    const { state, ledger } = this;
    state.waiting = this.#question();
    const idle = ledger.count('running', 'asking', 'undoing') === 0;
    this.#enter(state.undo ? 'rolling-back' : state.waiting && (idle || state.unsigned) ? 'waiting' : 'running');
    setCurrentDetails(detailsOf(state, ledger));
  }

  /** All is over; the end waits for something else than a person. */
  waitFor(what: string): void {
    this.state.waiting = what;
    setCurrentDetails(detailsOf(this.state, this.ledger));
  }

  snapshot(): BatchState {
    return { ...this.state, marks: this.ledger.marks };
  }

  /** The end: what was not begun is canceled. */
  conclude(): BatchState {
    const { state, ledger } = this;
    // A failure in the batch that this one rolls back is not a failure of this one.
    const failed = ledger.count('left', ...(this.request.of ? [] : (['failed'] as const))) > 0;
    // Stopped by a person before anything was done, there was nothing to roll back.
    const back = state.stopping === 'failure' && (ledger.count('undone', 'left') > 0 || !failed);
    const superseded = !this.request.of && ledger.count('superseded') > 0 && ledger.count('done', 'undone', 'left') === 0;
    state.waiting = undefined;
    const ended = failed ? 'failed' : superseded ? 'superseded' : 'done';
    this.#enter(state.stopping === 'canceled' ? 'canceled' : back ? 'rolled-back' : ended);
    setCurrentDetails(detailsOf(state, ledger));
    return this.snapshot();
  }

  #settleWork({ index, status, why, left }: BatchReport): void {
    const { state, ledger } = this;
    ledger.set(index, status);
    if (status === 'done') return;
    this.#because(index, left ? `${why}; left: ${left.join(', ')}` : (why ?? status));
    // Others have what was asked for later: nothing went wrong, and nothing has to be rolled back for it.
    if (status === 'superseded' || (status === 'canceled' && state.stopping)) return;
    // The requested policy counts: a later decision of a person stops the batch anyway.
    const { onFailure } = this.request;
    if (onFailure === 'rollback') this.stop('failure');
    else if (onFailure === 'ask' && !state.stopping) state.undecided.push(index);
  }

  #settleUndo({ index, status, why = 'it could not be rolled back' }: BatchReport): void {
    this.ledger.set(index, status === 'done' ? 'undone' : 'left');
    if (status === 'done') return;
    const { id, of = id } = this.request;
    const command = `provisioning workflow rollback ${batchOperationId(of, index, this.generationOf(index))}`;
    this.#because(index, `${why} (${command})`);
  }

  #because(index: number, why: string): void {
    if (Object.keys(this.state.why).length < REASONS) this.state.why[index] = why.slice(0, 400);
  }

  #indexOf(operation: string): number {
    return Number(operation.slice(this.request.id.length + 1).split('-')[0]) - 1;
  }

  /** Question to a person. */
  #question(): string | undefined {
    const { state } = this;
    if (state.unsigned) return questionAboutCancel(state.unsigned);
    const [one] = state.undecided;
    if (one !== undefined) {
      const first = `${this.idOf(one)}: ${state.why[one] ?? 'see its own record'}`;
      return `${state.undecided.length} failed, the first ${first}. retry, skip, keep, rollback-branch or rollback?`;
    }
    if (!this.waitsForApproval()) return undefined;
    return `stage ${state.approved + 1} of ${this.request.stages.length} waits for an approval`;
  }

  #firstWaitingStage(): number {
    const index = this.ledger.first('waiting');
    return index < 0 ? -1 : stageOf(this.request, index);
  }

  #enter(status: BatchStatus): void {
    const { state, ledger } = this;
    if (status === state.status) return;
    state.status = status;
    const attention = status === 'waiting' ? [state.unsigned ? 'cancel' : 'decision'] : ledger.count('left') > 0 ? ['left'] : [];
    upsertSearchAttributes({ [SEARCH_ATTRIBUTES.status]: [status], [SEARCH_ATTRIBUTES.attention]: attention });
  }
}

/** The stage that an operation is in, from 0. */
export function stageOf({ stages }: Pick<BatchRequest, 'stages'>, index: number): number {
  let before = 0;
  return stages.findIndex((size) => {
    before += size;
    return index < before;
  });
}

/** A batch of which nothing is done yet. */
function newState(request: BatchRequest): BatchState {
  const { id, name, workspace, onFailure, parallel, accounts, operations, pageSize, pages, stages, actor } = request;
  const gated = request.approve?.includes('per-batch-stage') ?? false;
  return {
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
}

function detailsOf({ name, status, operations, waiting, parallel }: BatchState, ledger: BatchLedger): string {
  const counts = (
    ['running', 'asking', 'waiting', 'done', 'failed', 'skipped', 'canceled', 'superseded', 'undoing', 'undone', 'left'] as const
  )
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
