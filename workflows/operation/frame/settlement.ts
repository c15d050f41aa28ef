import { allHandlersFinished, CancellationScope, CancelledFailure, condition, isCancellation } from '@temporalio/workflow';
import { exitCodeOf } from '../../../core/exit-codes.js';
import type { OperationResult, ServiceState } from '../../../core/operation/operation.js';
import { undrainAll } from '../../rollout/draining.js';
import { describeFailure, GivenUp, OperationStopped } from '../failures.js';
import { keepRollback } from '../keep-rollback.js';
import { failureWith, policyOf, unknownOutcome, whatIsLeft } from '../outcome.js';
import { undoCompensations } from '../roll-back.js';
import type { Opened } from './open-operation.js';
import { tellEnd } from './tell-infra.js';

/** Deals with what was done by an operation that failed or was stopped, as its policy or a person says. */
export async function conclude(opened: Opened, error: unknown): Promise<void> {
  const { operation, lifeCycle, attempts } = opened;
  const { request, progress, control, compensations } = operation;
  control.beginStopping();
  const failure = describeFailure(error, { step: 'Run the operation', on: request.infra });
  const canceled = isCancellation(error) || control.canceled;
  if (!canceled) progress.error = error instanceof GivenUp ? (attempts.firstFailure ?? failure) : failure;
  const chosen = error instanceof OperationStopped ? error.decision : control.chosen;
  const policy = chosen ?? policyOf(request, operation.inventory.definition);
  const undo = policy === 'rollback' && request.intent.verb !== 'rollback' && !request.check;
  const begun = compensations.length > 0;
  if (undo) await undoAll(opened);
  else await keepAll(opened);
  control.end();
  lifeCycle.enter(canceled || failure.code === 'rejected' ? 'canceled' : undo && begun ? 'rolled-back' : 'failed');
}

/** Rolls back all that was done; the result names what is left, and no service that is not there any more. */
function undoAll({ operation, attempts }: Opened): Promise<void> {
  const { progress } = operation;
  return CancellationScope.nonCancellable(async () => {
    progress.left = [...(await undoCompensations(operation)), ...attempts.givenUp.map(unknownOutcome)];
    const remains = ({ server, taskserv }: ServiceState) => operation.inventory.servers[server]?.services[taskserv] !== undefined;
    progress.services = progress.services.filter(remains);
  });
}

/** Keeps all that was done, and names it. */
async function keepAll({ operation, attempts }: Opened): Promise<void> {
  const { request, progress, control, compensations } = operation;
  const at = { step: 'Put back into service', on: request.infra };
  await control.unlessForced(at, () => undrainAll(operation)).catch(() => {});
  progress.left = [...whatIsLeft(compensations, operation.inventory), ...attempts.givenUp.map(unknownOutcome)];
}

/** Gives up what the operation holds of its infra, and waits until everybody has the answer that was asked for. */
export function release({ operation, held }: Opened): Promise<void> {
  return CancellationScope.nonCancellable(async () => {
    await keepRollback(operation);
    if (held.grant) await tellEnd(operation, held.grant, held.takeUntold());
    await condition(allHandlersFinished);
  });
}

/**
 * The end as Temporal sees it.
 *
 * @throws ApplicationFailure with the result where the exit code is not 0; CancelledFailure where Temporal knows of a cancel
 */
export function resultOf({ operation: { progress } }: Opened): OperationResult {
  const { cells: _, waiting: __, question: ___, ...result } = progress;
  // Only a cancel that Temporal knows of can end as one there.
  if (progress.status === 'canceled' && CancellationScope.current().consideredCancelled)
    throw new CancelledFailure('the operation was canceled', [result]);
  if (exitCodeOf(result) !== 0) throw failureWith(result);
  return result;
}
