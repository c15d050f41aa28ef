import { ActivityCancellationType, isCancellation, proxyActivities, workflowInfo } from '@temporalio/workflow';
import type { Activities } from '../../activities/index.js';
import type { Lock } from '../../core/infra/lock.js';
import type { LockRequest } from '../../core/operation/operation.js';
import { type Orphan, type OrphansRequest, type RemovalReport, resourceOf, sortOrphans } from '../../core/operation/orphans.js';
import type {} from '../fence.js';
import { takeTurn } from '../infra/take-turn.js';
import { refuseBadRequest } from '../operation/checked-request.js';
import { describeFailure } from '../operation/failures.js';
import { stoppable } from './stoppable.js';

const { findOrphans } = proxyActivities<Activities>({
  startToCloseTimeout: '2 minutes',
  patienceMs: 5 * 60_000,
  heartbeatTimeout: '15 s',
});
const { removeOrphan } = proxyActivities<Activities>({
  changes: true,
  startToCloseTimeout: '5 minutes',
  patienceMs: 5 * 60_000,
  heartbeatTimeout: '15 s',
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
});

/**
 * Lists ownerless resources with the platform's labels, or removes listed ones. It works infra by infra, under the
 * locks of a living infra, so no operation adopts a resource that is just being removed.
 */
export function orphans(request: OrphansRequest): Promise<RemovalReport> {
  refuseBadRequest('orphans', request);
  return stoppable('look for orphans', request.workspace, () => listOrRemove(request));
}

async function listOrRemove({ workspace, actor, remove, askAgainMs }: OrphansRequest): Promise<RemovalReport> {
  const report: RemovalReport = { orphans: [], unasked: [], removed: [], kept: [], failed: [] };
  if (!remove) return { ...report, ...(await findOrphans({ workspace })) };
  const operation = workflowInfo().workflowId;
  const byInfra = new Map<string, Orphan[]>();
  for (const one of sortOrphans(remove)) byInfra.set(one.scope.infra, [...(byInfra.get(one.scope.infra) ?? []), one]);
  for (const [infra, meant] of byInfra) {
    const resources = [...new Set(meant.map(resourceOf))].sort();
    const request: LockRequest = { operation, kind: 'server', resources, actor, needs: { servers: [], complete: true } };
    const turn = await takeTurn({ workspace, infra, request, firstMs: askAgainMs });
    try {
      for (const orphan of meant) await removeOne(orphan, report, turn?.under());
    } finally {
      await turn?.end([]);
    }
  }
  return report;
}

async function removeOne(orphan: Orphan, report: RemovalReport, lock?: Lock): Promise<void> {
  const summary = `Remove the ${orphan.kind} ${orphan.name} of ${orphan.scope.infra}`;
  try {
    const { kept } = await removeOrphan.executeWithOptions({ summary, ...(lock && { under: () => lock }) }, [{ orphan }]);
    if (kept) report.kept.push({ ...orphan, why: kept });
    else report.removed.push(orphan);
  } catch (error) {
    if (isCancellation(error)) throw error;
    report.failed.push({ ...orphan, why: describeFailure(error, { step: summary, on: orphan.name }).why });
  }
}
