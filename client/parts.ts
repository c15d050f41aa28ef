import type { BatchDecision, BatchMark, BatchRow, BatchState, BatchSubmission, BatchSummary } from '../core/operation/batch.js';
import type { By } from '../core/operation/control.js';
import type { DriftReport, ImportReport, ImportRequest, RefreshRequest } from '../core/operation/drift.js';
import type { OrphansRequest, RemovalReport } from '../core/operation/orphans.js';
import type { ProviderAnswers, ProviderQuestion, ProviderTopic } from '../core/operation/provider-questions.js';

/** What can be asked about batches. Throws as the client does; `unknown-operation` for a batch that there never was. */
export interface BatchClient {
  /** Stores the operations and starts the batch; returns at once. An id that was used before is refused. */
  submitBatch(submission: BatchSubmission): Promise<{ batch: string }>;
  /** Where it stands now; works for ended batches too. */
  batch(id: string): Promise<BatchState>;
  /** Some lines of its record, in order: from an index on, of some marks only. */
  batchRows(id: string, page?: { from?: number; limit?: number; marks?: BatchMark[] }): Promise<BatchRow[]>;
  batches(filter?: { workspace?: string; limit?: number }): Promise<BatchSummary[]>;
  /** Lets the next stage begin. Refused with a reason where none waits. */
  approveBatch(id: string, by: By): Promise<string>;
  /** Answers failed operations. Refused with a reason where none waits for that. */
  decideBatch(id: string, decision: BatchDecision, by: By): Promise<string>;
  cancelBatch(id: string, by: By): Promise<string>;
  /** Takes back an ended batch, as a batch of its own. */
  rollbackBatch(id: string, newId: string, by: By): Promise<{ batch: string }>;
  /** Waits for the end. */
  batchResult(id: string): Promise<BatchState>;
}

export interface CloudsClient {
  /** What an account sells or may do; asked where its credentials are. Refused: `nothing-sold`, and what the provider refuses. */
  askProvider<T extends ProviderTopic>(question: ProviderQuestion<T>): Promise<ProviderAnswers[T]>;
  /** What the clouds have, beside what an inventory says. Refused: `unknown-infra`. */
  refresh(request: RefreshRequest): Promise<DriftReport>;
  /** Takes in a server that was made elsewhere. Refused: `unknown-server`, `which-server`, `owned-by-another`, `name-taken`. */
  importServer(request: ImportRequest): Promise<ImportReport>;
}

export interface OrphansClient {
  /**
   * What a workspace's providers have that bears our labels and belongs to
   * nobody. With `remove` those are taken away that were listed before and are
   * still orphans; one that cannot be is named in the answer, and stops no other.
   */
  orphans(request: OrphansRequest): Promise<RemovalReport>;
}
