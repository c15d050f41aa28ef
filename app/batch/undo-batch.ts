import type { RecordedPrincipal } from '../../core/access/recorded-principal.js';
import { type BatchState, MARKS } from '../../core/operation/batch.js';
import type { Controller } from '../../core/operation/control.js';
import type { BatchRequest } from '../../core/schema/batch-request.js';

/** Creates the batch that rolls back an ended one, with its record as the initial state. */
export function createUndoRequest(
  state: BatchState,
  newId: string,
  { actor, why, principal }: Controller & { principal?: RecordedPrincipal },
): { request: BatchRequest; before: BatchState } {
  const { name, workspace, parallel, accounts, operations, pageSize, pages, stages, of = state.batch } = state;
  const request: BatchRequest = {
    id: newId,
    of,
    name: `rollback of ${name.replace(/^rollback of /, '')}`,
    workspace,
    actor,
    ...(principal && { principal }),
    parallel,
    accounts,
    priority: 3,
    onFailure: 'rollback',
    operations,
    pageSize,
    pages,
    stages,
  };
  const before: BatchState = {
    ...state,
    batch: newId,
    of,
    name: request.name,
    actor,
    status: 'running',
    onFailure: request.onFailure,
    // It is a batch of its own, however the other was stopped.
    stopping: undefined,
    cut: undefined,
    waiting: undefined,
    // Running operations receive a cancel. Their remaining effects are known after they have ended.
    marks: state.marks.replace(/[lu]/g, MARKS.done).replaceAll(MARKS.running, MARKS.canceled),
    undo: [[0, operations - 1]],
    nothing: undefined,
    why: {},
    undecided: [],
    control: [{ at: new Date().toISOString(), actor, did: 'rollback', ...(why && { why }) }],
    continued: 0,
  };
  return { request, before };
}
