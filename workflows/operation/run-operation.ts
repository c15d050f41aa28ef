import { CancellationScope, CancelledFailure, defineQuery, setHandler } from '@temporalio/workflow';
import type { OperationRequest, OperationResult, Progress } from '../../core/operation/operation.js';
import { createQueuedProgress } from '../../core/operation/operation.js';
import { type PartsAnswer, type PartsQuery, selectParts } from '../../core/operation/progress-parts.js';
import { granted } from '../infra/infra.js';
import { listAs } from '../inquiry/listed.js';
import { type HandedOn, type SettlePolicy, unpackCarried } from './carried.js';
import { badOperation } from './checked-request.js';
import { LeftToNextRun } from './continuation.js';
import { admit, noteStart } from './frame/admit.js';
import { createHeldInfra } from './frame/held-infra.js';
import { type OpenOperation, openOperation } from './frame/open-operation.js';
import { reportEnded } from './frame/report-end.js';
import { buildResult, decideSettling, goOnInNewRun, release, settle, stopAtBoundary } from './frame/settlement.js';
import { reportChanges } from './frame/tell-infra.js';
import type { Operation } from './operation.js';
import { failureWith } from './outcome.js';

/** State of the operation, also after its end. */
export const progressQuery = defineQuery<Progress>('progress');
/** The same for who asks again and again, or of much: what is not known yet, as much as one answer takes. */
export const progressPartsQuery = defineQuery<PartsAnswer, PartsQuery>('progressParts');
/** Request of the operation. */
export const requestQuery = defineQuery<OperationRequest>('request');

/** The frame of every operation: admission, the work, and one of the ways in which it ends, or goes on in a new run. */
export async function runOperation(
  asked: OperationRequest,
  work: (operation: Operation) => Promise<void>,
  handed?: HandedOn,
): Promise<OperationResult> {
  const bad = badOperation(asked);
  if (bad) {
    answerProgress(() => ({ ...bad, cells: [] }));
    throw failureWith(bad);
  }
  const request = { ...asked };
  const carried = handed && unpackCarried(handed);
  const progress: Progress = carried?.progress ?? { ...createQueuedProgress(request), cells: [] };
  // Only control.ts receives Temporal's own cancel: without a signed stop nothing ends.
  const shield = new CancellationScope({ cancellable: false });
  const scope = new CancellationScope({ cancellable: true, parent: shield });
  listAs({ kind: request.kind, workspace: request.workspace, infra: request.infra, actor: request.actor });
  const held = createHeldInfra(request, (grant, changes) => reportChanges(opened.operation, grant, changes));
  if (carried) held.goOn(carried);
  setHandler(granted, held.give);
  answerProgress(() => opened.keeping.seen());
  setHandler(requestQuery, () => request);
  const opened = openOperation(request, progress, held, () => scope.cancel(), carried);
  if (carried) {
    opened.lifeCycle.enter('running');
    // One that was begun with the message of another run ends here.
    await CancellationScope.nonCancellable(() => noteStart(held.lock, opened.lifeCycle.awaitStore));
  }
  const isSettled = await settled(opened, () => scope.run(() => workUnderGrant(opened, work)));
  if (!isSettled) return goOnInNewRun(opened);
  progress.compensations = [...opened.operation.compensations].reverse();
  await release(opened);
  reportEnded(progress);
  return buildResult(opened);
}

function answerProgress(progress: () => Progress): void {
  setHandler(progressQuery, progress);
  setHandler(progressPartsQuery, (has, most) => selectParts(progress(), has, most));
}

/** Does the work, and deals with how it ends. Answers whether it has ended: else the rest is left to the next run. */
async function settled(opened: OpenOperation, work: () => Promise<void>): Promise<boolean> {
  const { operation, lifeCycle } = opened;
  const { progress, control } = operation;
  try {
    if (!opened.settling) {
      await work();
      control.end();
      lifeCycle.enter(progress.supersededBy ? 'superseded' : progress.error ? 'failed' : 'done');
      return true;
    }
  } catch (error) {
    if (error instanceof LeftToNextRun && !(await stopAtBoundary(opened))) return false;
    opened.settling = decideSettling(opened, error);
  }
  try {
    await CancellationScope.nonCancellable(() => settle(opened, opened.settling as SettlePolicy));
  } catch (error) {
    if (!(error instanceof LeftToNextRun)) throw error;
    await stopAtBoundary(opened);
    return false;
  }
  return true;
}

/** The work from admission to the last answer that was asked for. */
async function workUnderGrant(opened: OpenOperation, work: (operation: Operation) => Promise<void>): Promise<void> {
  const { operation, held, lifeCycle, attempts } = opened;
  if (!operation.continuation.resumed) {
    const grant = await admit(opened);
    held.begin(grant);
    operation.progress.supersededBy = grant.superseded;
    if (grant.superseded) return;
    if (operation.rollback) operation.rollback.stays = grant.stays;
    lifeCycle.enter('running');
    const confirmed = opened.authority?.confirm();
    if (confirmed) await confirmed;
  }
  await work(operation);
  await attempts.settled();
  await held.arrived();
  // Work that had not begun at the cancel was only skipped.
  if (operation.control.canceled) throw new CancelledFailure('the operation was canceled');
}
