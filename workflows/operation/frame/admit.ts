import { condition, getExternalWorkflowHandle, isCancellation } from '@temporalio/workflow';
import { lockRequestOf } from '../../../core/infra/lock-request.js';
import { infraWorkflowId } from '../../../core/names.js';
import type { Grant } from '../../../core/operation/operation.js';
import { acquire } from '../../infra/infra.js';
import { noteStart } from '../note-start.js';
import { readRollback } from '../roll-back.js';
import type { Opened } from './open-operation.js';

/** Waits until the infra's entity admits the operation; one of a batch was admitted before it began. */
export async function admit({ operation, held, lifeCycle }: Opened): Promise<Grant> {
  const { request, submitted } = operation;
  const { workspace, infra, batch } = request;
  await readRollback(operation);
  if (batch?.grant) return batch.grant;
  await noteStart(held.lock);
  const { rollback } = operation;
  const wish = { ...lockRequestOf(request, rollback?.compensations), submitted, ...(rollback && { undoes: rollback.of }) };
  lifeCycle.enter('queued', 'waits to be admitted');
  try {
    await getExternalWorkflowHandle(infraWorkflowId(workspace, infra)).signal(acquire, wish);
  } catch (error) {
    if (isCancellation(error)) throw error;
    await operation.activities.askNewInfra({ workspace, infra, request: wish });
  }
  await condition(() => held.grant !== undefined);
  return held.grant as Grant;
}
