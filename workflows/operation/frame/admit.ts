import { getExternalWorkflowHandle, isCancellation, workflowInfo } from '@temporalio/workflow';
import type { Activities } from '../../../activities/index.js';
import { readWorkflowsVersion } from '../../../core/engine/workflows-version.js';
import type { Grant, Lock } from '../../../core/infra/lock.js';
import { buildLockRequest } from '../../../core/infra/lock-request.js';
import { infraWorkflowId } from '../../../core/names.js';
import { acquire } from '../../infra/infra.js';
import { waitUntilGranted } from '../../infra/until-granted.js';
import { callNearOrQueued, type HowNear } from '../../near-or-queued.js';
import { readRollback } from '../roll-back.js';
import type { OpenOperation } from './open-operation.js';

type AskedInfra = Parameters<Activities['askNewInfra']>[0];

/** The version of workflows since which an operation asks from within its own task. */
const ASKED_NEAR_SINCE = 2;

/** Waits until the infra's entity admits the operation; one of a batch was admitted before it began. */
export async function admit({ operation, held, lifeCycle, authority }: OpenOperation): Promise<Grant> {
  const { request, submitted } = operation;
  const { workspace, infra, batch } = request;
  await readRollback(operation);
  if (batch?.grant) return batch.grant;
  await noteStart(held.lock, lifeCycle.awaitStore);
  const { rollback } = operation;
  const wish = { ...buildLockRequest(request, rollback?.compensations), submitted, ...(rollback && { undoes: rollback.of }) };
  lifeCycle.enter('queued', 'waits to be admitted');
  const asked = { workspace, infra, request: wish };
  if (readWorkflowsVersion(workflowInfo().memo) >= ASKED_NEAR_SINCE) {
    const how = { under: held.lock, say: lifeCycle.awaitStore, summary: 'Ask for the lock' };
    const grant = await callNearOrQueued('askNewInfra', [{ ...asked, answer: true }], how);
    if (grant) held.give(grant);
  } else await askedFromAfar(asked, () => operation.activities.askNewInfra(asked));
  // A wait in the queue follows.
  if (!held.grant) authority?.expire();
  const waiting = { ...asked, starts: true, firstMs: request.timing?.askAgainMs, under: held.lock, given: () => held.grant };
  held.give((await waitUntilGranted(waiting)) as Grant);
  return held.grant as Grant;
}

/** Signals the entity. `askNew` starts a missing entity. */
async function askedFromAfar({ workspace, infra, request }: AskedInfra, askNew: () => Promise<unknown>): Promise<void> {
  try {
    await getExternalWorkflowHandle(infraWorkflowId(workspace, infra)).signal(acquire, request);
  } catch (error) {
    if (isCancellation(error)) throw error;
    await askNew();
  }
}

/**
 * Records that this run was started with its message, before the run waits. A run that ends in the queue could
 * otherwise be started again with the message. Fails as refused in a run with the start message of another run.
 *
 * @param under lock that it is about to request
 * @param say receives the reason of a wait
 */
export async function noteStart(under: () => Lock, say?: HowNear['say']): Promise<void> {
  await callNearOrQueued('noteStart', [], { under, say, summary: 'Note the start' });
}
