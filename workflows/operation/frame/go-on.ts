import { allHandlersFinished, CancellationScope, condition, continueAsNew } from '@temporalio/workflow';
import { drainsCounted, undrainAll } from '../../rollout/draining.js';
import { type HandedOn, handedOn } from '../carried.js';
import type { Opened } from './open-operation.js';

/**
 * Ends what the run was at, once nothing is at work any more: nothing stays out of service for longer than its own
 * change takes, nobody who asked for something is left without an answer, and a paused operation stays in its run.
 *
 * @returns whether somebody stopped it meanwhile: then it is dealt with before the next run goes on
 */
export function stoppedAtBoundary({ operation, held, settling }: Opened): Promise<boolean> {
  const { control } = operation;
  return CancellationScope.nonCancellable(async () => {
    if (!settling && !operation.undoing) await undrainAll(operation);
    // What a run sent as it ended would arrive nowhere.
    await held.allArrived().catch(() => {});
    do await control.go();
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
export function goOnInNewRun({ operation, held, attempts, settling }: Opened): Promise<never> {
  const { request, progress, control, compensations, leftOut, continuation, decided, approved, rollback, undoing } = operation;
  const { inventory: _, ...grant } = held.grant ?? { grant: 0 };
  const handed = handedOn({
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

/** What its batch brought was taken up. */
function withoutGrant<T extends { batch?: object }>(request: T): T {
  const { grant: _, seen: __, ...batch } = (request.batch ?? {}) as Record<string, unknown>;
  return request.batch ? { ...request, batch } : request;
}
