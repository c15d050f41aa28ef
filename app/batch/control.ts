import { randomUUID } from 'node:crypto';
import { WorkflowUpdateFailedError } from '@temporalio/client';
import type { RecordedPrincipal } from '../../core/access/recorded-principal.js';
import { isOpen } from '../../core/engine/is-open.js';
import { inputError, ProvisioningError } from '../../core/errors.js';
import { type BatchState, batchOperationId, MARKS } from '../../core/operation/batch.js';
import type { Controller } from '../../core/operation/control.js';
import type { batch } from '../../workflows/index.js';
import type { Engine } from '../engine.js';
import { answerWithin, cancelOperation, refusalIn } from '../operation/control.js';
import { translateFault } from '../temporal/fault.js';
import { checkKind } from '../temporal/right-kind.js';
import { workOnEach } from './cut-batch.js';
import { startBatch } from './start.js';
import { ENDED_STATUSES, readBatchState } from './state.js';
import { createUndoRequest } from './undo-batch.js';

/** Refused because it has ended. */
const isEnd = (error: unknown): boolean =>
  error instanceof ProvisioningError && ['not-running', 'already-stopping'].includes(error.details.code);

/**
 * Sends a batch an update, which it answers at once or refuses with a reason.
 *
 * @param what purpose of the update, for errors
 */
export async function sendToBatch<T>({ temporal }: Engine, id: string, name: string, what: string, input: T): Promise<string> {
  await checkKind(temporal, id, 'batch', what);
  const handle = temporal.workflow.getHandle<typeof batch>(id);
  try {
    const options = { args: [input] as [T], updateId: randomUUID() };
    return await answerWithin(temporal, id, what, () => handle.executeUpdate<string, [T]>(name, options));
  } catch (error) {
    if (error instanceof ProvisioningError) throw error;
    const found = error instanceof WorkflowUpdateFailedError ? undefined : await handle.describe().catch(() => undefined);
    const ended = found && !isOpen(found.status.name);
    const end = ended && { code: name === 'cancel' ? 'not-running' : 'not-waiting', why: 'it has already ended' };
    const refusal = error instanceof WorkflowUpdateFailedError ? refusalIn(error) : end;
    if (!refusal) throw translateFault(error, id, 'batch');
    throw inputError({ ...refusal, what, on: id, hint: `provisioning batch status ${id}` });
  }
}

/** Cancels a batch, or the operations that outlive it. @throws inputError `not-running`, `already-stopping` */
export async function cancelBatch(engine: Engine, id: string, by: Controller): Promise<string> {
  try {
    return await sendToBatch(engine, id, 'cancel', 'cancel the batch', by);
  } catch (error) {
    const stopped = isEnd(error) ? await stopRest(engine, await readBatchState(engine, id), by) : 0;
    if (stopped === 0) throw error;
    return `${stopped} operations that went on without the batch are canceled by ${by.actor}`;
  }
}

/** Rolls back an ended batch, as a batch of its own. @throws inputError `still-running`, `operation-exists` */
export async function rollBackBatch(
  engine: Engine,
  id: string,
  newId: string,
  by: Controller & { principal?: RecordedPrincipal },
): Promise<{ batch: string }> {
  const state = await readBatchState(engine, id);
  if (!ENDED_STATUSES.includes(state.status)) {
    const why = `it is still ${state.status}`;
    const hint = `provisioning batch cancel ${id}`;
    throw inputError({ code: 'still-running', what: 'roll back the batch', on: id, why, hint });
  }
  await stopRest(engine, state, by);
  const { request, before } = createUndoRequest(state, newId, by);
  return startBatch(engine, request, before);
}

/** Cancels operations that outlive their batch, and returns their number. */
async function stopRest({ temporal }: Engine, { batch, marks, again }: BatchState, by: Controller): Promise<number> {
  const alone = [...marks].flatMap((letter, index) => (letter === MARKS.running ? [index] : []));
  await workOnEach(alone, async (index) => {
    const operation = batchOperationId(batch, index, again[index]);
    await cancelOperation(temporal, operation, by).catch((error) => {
      if (!isEnd(error)) throw error;
    });
  });
  return alone.length;
}
