import { batchOperationId } from '../../core/operation/batch.js';
import type { OperationRequest } from '../../core/operation/operation.js';
import type { BatchHeader, BatchOperation } from '../../core/schema/batch-request.js';

/** How long news wait for company, in milliseconds: a signal of its own costs an operation a third more. With many at work none waits for it. */
export const computeLinger = ({ parallel }: BatchHeader): number => Math.min(600, parallel);

/** Creates the request of a batch's operation. Settings of the operation override those of the batch. */
export function createOperationRequest(
  batch: BatchHeader,
  { index, generation, operation }: { index: number; generation: number; operation: BatchOperation },
) {
  const { kind, verb, infra, servers, taskservs, prune, allowDestroy, priority, approve, update, settings, environment } =
    operation;
  const { onFailure = batch.onFailure === 'keep' ? 'keep' : 'rollback', onTimeout = batch.onTimeout } = operation;
  const { timing = batch.timing } = operation;
  return {
    id: batchOperationId(batch.id, index, generation),
    kind,
    workspace: batch.workspace,
    infra,
    intent: { verb, ...(servers && { servers }), ...(taskservs && { taskservs }), ...(prune && { prune }) },
    ...(environment !== undefined && { environment }),
    onFailure,
    ...(onTimeout && { onTimeout }),
    ...(allowDestroy && { allowDestroy }),
    priority: priority ?? batch.priority,
    actor: batch.actor,
    ...(batch.principal && { principal: batch.principal }),
    ...(timing && { timing }),
    ...(approve && { approve }),
    ...(update && { update }),
    ...(settings && { settings }),
    batch: { id: batch.id, index, lingerMs: computeLinger(batch), ...(batch.submitted && { submitted: batch.submitted }) },
  } satisfies OperationRequest;
}

/**
 * The same for the roll-back. The update strategy and the approvals do not apply to it. A roll-back after a failure
 * needs no authority: only a batch that was submitted as a roll-back uses its principal.
 */
export function createUndoRequest(batch: BatchHeader, member: Parameters<typeof createOperationRequest>[1]) {
  const { approve: _, update: __, principal, ...request } = createOperationRequest(batch, member);
  return { ...request, ...(batch.of !== undefined && principal && { principal }) };
}
