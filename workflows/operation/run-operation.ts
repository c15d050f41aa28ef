import { CancellationScope, CancelledFailure, defineQuery, setHandler } from '@temporalio/workflow';
import type { OperationRequest, OperationResult, Progress } from '../../core/operation/operation.js';
import { queued } from '../../core/operation/operation.js';
import { granted } from '../infra/infra.js';
import { listAs } from '../inquiry/listed.js';
import { badOperation } from './checked-request.js';
import { admit } from './frame/admit.js';
import { heldInfraOf } from './frame/held-infra.js';
import { type Opened, openOperation } from './frame/open-operation.js';
import { conclude, release, resultOf } from './frame/settlement.js';
import { tellChanges } from './frame/tell-infra.js';
import type { Operation } from './operation.js';
import { failureWith } from './outcome.js';

/** Where the operation stands; works after its end too. */
export const progressQuery = defineQuery<Progress>('progress');
/** What it was asked to do. */
export const requestQuery = defineQuery<OperationRequest>('request');

/** The frame of every operation: admission, the work, and one of the ways in which it ends. */
export async function runOperation(
  asked: OperationRequest,
  work: (operation: Operation) => Promise<void>,
): Promise<OperationResult> {
  const bad = badOperation(asked);
  if (bad) {
    setHandler(progressQuery, () => ({ ...bad, cells: [] }));
    throw failureWith(bad);
  }
  const request = { ...asked };
  const progress: Progress = { ...queued(request), cells: [] };
  // Temporal's own cancel reaches control.ts alone: without a signed stop nothing ends.
  const shield = new CancellationScope({ cancellable: false });
  const scope = new CancellationScope({ cancellable: true, parent: shield });
  listAs({ kind: request.kind, workspace: request.workspace, infra: request.infra, actor: request.actor });
  const held = heldInfraOf(request, (grant, changes) => tellChanges(opened.operation, grant, changes));
  setHandler(granted, held.give);
  setHandler(progressQuery, () => progress);
  setHandler(requestQuery, () => request);
  const opened = openOperation(request, progress, held, () => scope.cancel());
  const { operation, lifeCycle } = opened;
  try {
    await scope.run(() => workUnderGrant(opened, work));
    operation.control.end();
    lifeCycle.enter(progress.supersededBy ? 'superseded' : progress.error ? 'failed' : 'done');
  } catch (error) {
    await CancellationScope.nonCancellable(() => conclude(opened, error));
  }
  progress.compensations = [...operation.compensations].reverse();
  await release(opened);
  return resultOf(opened);
}

/** The work from admission to the last answer that was asked for. */
async function workUnderGrant(opened: Opened, work: (operation: Operation) => Promise<void>): Promise<void> {
  const { operation, held, lifeCycle, attempts } = opened;
  const grant = await admit(opened);
  held.begin(grant);
  operation.progress.supersededBy = grant.superseded;
  if (grant.superseded) return;
  lifeCycle.enter('running');
  await work(operation);
  await attempts.settled();
  // What nobody was at work on when the cancel came was only left out.
  if (operation.control.canceled) throw new CancelledFailure('the operation was canceled');
}
