import {
  allHandlersFinished,
  CancellationScope,
  CancelledFailure,
  condition,
  continueAsNew,
  isCancellation,
  workflowInfo,
} from '@temporalio/workflow';
import { readWorkflowsVersion } from '../../../core/engine/workflows-version.js';
import { exitCodeOf } from '../../../core/exit-codes.js';
import type { Grant } from '../../../core/infra/lock.js';
import type { OperationResult, ServiceState } from '../../../core/operation/operation.js';
import { splitUndo } from '../../../core/operation/to-undo.js';
import { drainsCounted, undrainAll } from '../../rollout/draining.js';
import { type HandedOn, packCarried, type SettlePolicy } from '../carried.js';
import { describeFailure, GivenUp, isFinal, OperationStopped } from '../failures.js';
import type { AnyPhase } from '../operation.js';
import { failureWith, listLeft, nameOf, policyOf, unknownOutcome } from '../outcome.js';
import { undoCompensations } from '../roll-back.js';
import { listDone } from '../what-is-done.js';
import type { OpenOperation } from './open-operation.js';
import { endNear, keepRollback, reportEnd, waitUntilKept } from './tell-infra.js';

/** Decides about the work of a failed or stopped operation, by its policy or a person's answer. */
export function decideSettling({ operation, attempts }: OpenOperation, error: unknown): SettlePolicy {
  const { request, progress, control, compensations } = operation;
  control.beginStopping();
  const failure = describeFailure(error, { step: 'Run the operation', on: request.infra });
  const canceled = isCancellation(error) || control.canceled;
  if (!canceled) progress.error = error instanceof GivenUp ? (attempts.firstFailure ?? failure) : failure;
  const chosen = error instanceof OperationStopped ? error.decision : control.chosen;
  const policy = chosen ?? policyOf(request, operation.inventory.definition);
  // Resources that others now hold must stay, and undoing would be work on them, too. Nothing is undone without
  // authority either.
  const rollsBack = policy === 'rollback' || policy === 'rollback-service';
  const undo = !isFinal(failure.code) && rollsBack && request.intent.verb !== 'rollback' && !request.check;
  return {
    canceled: canceled || failure.code === 'rejected',
    undo,
    ...(policy === 'rollback-service' && { onlyFailed: true }),
    begun: compensations.length > 0,
  };
}

/**
 * Deals with what was done by an operation that failed or was stopped.
 *
 * @throws LeftToNextRun where that is too much for this run
 */
export async function settle(opened: OpenOperation, { canceled, undo, onlyFailed, begun }: SettlePolicy): Promise<void> {
  const { control } = opened.operation;
  control.beginStopping();
  if (onlyFailed) await undoFailed(opened);
  else if (undo) await undoAll(opened);
  else await keepAll(opened);
  control.end();
  opened.lifeCycle.enter(canceled ? 'canceled' : undo && begun && !onlyFailed ? 'rolled-back' : 'failed');
}

/** Rolls back all that was done; the result names what is left, and no service that is not there any more. */
async function undoAll({ operation, attempts }: OpenOperation): Promise<void> {
  const { progress } = operation;
  const { stay } = splitUndo(operation.compensations, { rolledBack: true });
  progress.left = [...(await undoCompensations(operation, stay)), ...attempts.givenUp.map(unknownOutcome)];
  const outcomes = stay.map((one) => ({ on: nameOf(one), outcome: 'stays', why: 'a repair' }) as const);
  progress.outcomes = [...(progress.outcomes ?? []), ...outcomes];
  forgetGone(operation);
}

/** Rolls back the services and servers that are not done; what is done stays, and is named. */
async function undoFailed(opened: OpenOperation): Promise<void> {
  const { operation } = opened;
  const left = await undoCompensations(operation, listDone(operation));
  await keepAll(opened);
  const { progress } = operation;
  progress.left = [...left, ...(progress.left ?? []).filter((name) => !left.some((one) => one.startsWith(`${name} (`)))];
  forgetGone(operation);
}

/** Removes the health of services that no longer exist. */
function forgetGone({ progress, inventory }: AnyPhase): void {
  const remains = ({ server, taskserv }: ServiceState) => inventory.servers[server]?.services[taskserv] !== undefined;
  progress.services = progress.services.filter(remains);
}

/** Keeps all that was done, and names it. */
async function keepAll({ operation, attempts }: OpenOperation): Promise<void> {
  const { request, progress, control, compensations } = operation;
  const at = { step: 'Put back into service', on: request.infra };
  await control.unlessForced(at, () => undrainAll(operation)).catch(() => {});
  progress.left = [...listLeft(compensations, operation.inventory), ...attempts.givenUp.map(unknownOutcome)];
}

/** Gives up what the operation holds of its infra, and waits until everybody has the answer that was asked for. */
export function release(opened: OpenOperation): Promise<void> {
  const { operation, held } = opened;
  return CancellationScope.nonCancellable(async () => {
    held.close();
    await keepRollback(operation, held.lock, opened.lifeCycle.awaitStore);
    if (held.grant) await endGrant(opened, held.grant);
    opened.keeping.end();
    await condition(allHandlersFinished);
  });
}

/** Gives the grant back, and waits until the store has what was done under it. */
async function endGrant({ operation, held, keeping, lifeCycle: { awaitStore } }: OpenOperation, grant: Grant): Promise<void> {
  // Temporal does not keep the order of two signals. A missing receiver is no error.
  await held.arrived().catch(() => {});
  const changes = held.takeUntold();
  // A batch waits for all of its operations at once (batch-kept.ts).
  const waits = keeping.waits();
  const told = { entity: held.lock().entity, grant: grant.grant, told: held.told };
  if (endsNear(operation)) return waitUntilKept(told, keeping.say, awaitStore, endNear(held.lock, changes, waits));
  await reportEnd(operation, grant, changes);
  if (waits) await waitUntilKept(told, keeping.say, awaitStore);
}

/** The version of workflows since which one that did nothing gives its grant back from within its own task. */
const NEAR_SINCE = 2;

/**
 * Reports whether it ends as its history says, with nothing to undo. The server refuses the end of a run with new
 * events, and forgets the updates of that task: a run that a cancel ended here would continue without its grant.
 */
const endsNear = ({ request: { batch }, compensations, rollback, progress }: OpenOperation['operation']): boolean =>
  readWorkflowsVersion(workflowInfo().memo) >= NEAR_SINCE &&
  !batch &&
  !rollback &&
  compensations.length === 0 &&
  progress.status === 'done' &&
  progress.control.length === 0;

/**
 * The end as Temporal sees it.
 *
 * @throws ApplicationFailure with the result where the exit code is not 0; CancelledFailure where Temporal knows of a cancel
 */
export function buildResult({ operation: { progress } }: OpenOperation): OperationResult {
  const { cells: _, waiting: __, question: ___, undoes: ____, ...result } = progress;
  // Only a cancel that Temporal knows of can end as one there.
  if (progress.status === 'canceled' && CancellationScope.current().consideredCancelled)
    throw new CancelledFailure('the operation was canceled', [result]);
  if (exitCodeOf(result) !== 0) throw failureWith(result);
  return result;
}

/**
 * Ends the run's work, once nothing runs any more: no service stays out of service longer than its own change takes,
 * every request gets an answer, and a paused operation stays in its run.
 *
 * @returns whether it was stopped in the meantime: that is handled before the next run continues
 */
export function stopAtBoundary({ operation, held, settling }: OpenOperation): Promise<boolean> {
  const { control } = operation;
  return CancellationScope.nonCancellable(async () => {
    if (!settling && !operation.undoing) await undrainAll(operation);
    // Reports that a run sends at its end would be lost.
    await held.allArrived().catch(() => {});
    do await control.untilResumed();
    while (control.held || !(await handled()));
    return !settling && control.canceled;
  });
}

/** Waits until every update was answered; answers whether that took no waiting. */
async function handled(): Promise<boolean> {
  if (allHandlersFinished()) return true;
  await condition(allHandlersFinished);
  return false;
}

/** Hands on to the next run of the operation all that it needs. Does not return. */
export function goOnInNewRun({ operation, held, attempts, settling }: OpenOperation): Promise<never> {
  const { request, progress, control, compensations, leftOut, continuation, decided, approved, rollback, undoing } = operation;
  const { inventory: _, ...grant } = held.grant ?? { grant: 0 };
  const handed = packCarried({
    ...{
      submitted: operation.submitted,
      progress,
      grant,
      inventory: held.inventory,
      told: held.told,
      untold: held.takeUntold(),
      compensations,
    },
    ...{ leftOut: [...leftOut], attempts: attempts.state(), done: [...continuation.done], drained: drainsCounted(operation) },
    control: { pauses: control.pauses, canceled: control.canceled },
    ...(decided && { decided }),
    ...(approved && { approved }),
    ...(rollback && { rollback }),
    ...(settling && { settling }),
    ...(undoing && { undoing }),
  });
  return continueAsNew<(...args: [typeof request, HandedOn]) => Promise<unknown>>(withoutGrant(request), handed);
}

/** Removes the grant of the batch, which was used. */
function withoutGrant<T extends { batch?: object }>(request: T): T {
  const { grant: _, seen: __, ...batch } = (request.batch ?? {}) as Record<string, unknown>;
  return request.batch ? { ...request, batch } : request;
}
