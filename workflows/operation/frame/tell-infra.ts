import { CancellationScope, getExternalWorkflowHandle, isCancellation, proxyActivities, workflowInfo } from '@temporalio/workflow';
import type { Activities } from '../../../activities/index.js';
import type { FeedBacklog, ToldChanges } from '../../../activities/infra/feed.js';
import type { KeepInput } from '../../../activities/infra/keep-rollback.js';
import { readWorkflowsVersion } from '../../../core/engine/workflows-version.js';
import type { InventoryChange } from '../../../core/infra/inventory.js';
import { type Grant, isLockLost, type Lock } from '../../../core/infra/lock.js';
import { infraWorkflowId } from '../../../core/names.js';
import { reportToBatch } from '../../batch/tell-batch.js';
import { changed, release } from '../../infra/infra.js';
import { callNearOrQueued, type HowNear } from '../../near-or-queued.js';
import { describeFailure } from '../failures.js';
import type { ActivityUser, AnyPhase, CompensationLog, RollingBack } from '../operation.js';
import { summaryOf } from '../outcome.js';

type Teller = AnyPhase & ActivityUser<'tell'>;

const entityOf = ({ request: { workspace, infra } }: AnyPhase) => getExternalWorkflowHandle(infraWorkflowId(workspace, infra));

/** Tells the infra's entity what was done under a grant, and waits until it knows. */
export function reportChanges(operation: Teller, grant: Grant, changes: InventoryChange[]): Promise<void> {
  if (operation.request.batch) return reportToBatch(operation, grant, changes);
  return entityOf(operation).signal(changed, { grant: grant.grant, changes });
}

/** For a *Reset* of an ended operation: its batch already has the report. */
function unlessLost(error: unknown): void {
  if (!isLockLost(describeFailure(error, { step: 'Tell the batch', on: '' }).code)) throw error;
}

/** Returns the grant together with unreported changes. A missing receiver is no error. */
export function reportEnd(operation: Teller & EndingOperation, grant: Grant, changes: InventoryChange[]): Promise<void> {
  const end = () => ({ summary: summaryOf(operation.progress), kept: createKeepInput(operation) });
  if (operation.request.batch) return reportToBatch(operation, grant, changes, end()).catch(unlessLost);
  return entityOf(operation)
    .signal(release, { grant: grant.grant, changes })
    .catch(() => {});
}

/** The version of workflows since which roll-back data is kept. */
const ROLLBACK_KEPT_SINCE = 2;

/** Parts of an ending operation. */
export type EndingOperation = AnyPhase & CompensationLog & RollingBack;

/** Data to store about a settled operation. Undefined without any. */
export function createKeepInput({ request, rollback, compensations, progress }: EndingOperation): KeepInput | undefined {
  const { id: operation, kind, workspace, infra, check } = request;
  if (check) return undefined;
  const own = { workspace, infra, operation, kind };
  const left = [...compensations].reverse();
  const rolledBack = { by: operation, at: new Date(Date.now()).toISOString() };
  if (rollback) {
    const changed = left.length < rollback.compensations.length;
    const all = progress.status === 'done' && { rolledBack };
    return { ...own, of: rollback.of, ...(changed && { compensations: left, ...all }) };
  }
  if (progress.status !== 'rolled-back') return left.length > 0 ? { ...own, compensations: left } : undefined;
  // Once Temporal has forgotten it, only this says that everything was undone.
  return { ...own, compensations: left, ...(progress.left?.length ? {} : { rolledBack }) };
}

/**
 * Keeps what the operation can be rolled back by where it outlives Temporal's history, before
 * anybody hears of the end. Operations of batches have it kept with the news of it (tell-batch.ts).
 *
 * @param under its lock: a *Reset* that has lost that does not write over what was kept
 * @param say receives what keeps it waiting
 */
export async function keepRollback(operation: EndingOperation, under: () => Lock, say: HowNear['say']): Promise<void> {
  const input = operation.request.batch ? undefined : createKeepInput(operation);
  // The version costs nothing, where a patch would write two events into the history of every operation.
  if (!input || readWorkflowsVersion(workflowInfo().memo) < ROLLBACK_KEPT_SINCE) return;
  try {
    await callNearOrQueued('keepRollback', [input], { under, say, summary: 'Keep roll-back data' });
  } catch (error) {
    // Refused for good: its end is not held back, since others wait for its locks.
    const { why } = describeFailure(error, { step: 'Keep roll-back data', on: input.infra });
    const text = `it can be rolled back only as long as Temporal keeps its history: ${why}`;
    operation.progress.notes = [...(operation.progress.notes ?? []), { on: input.infra, text }];
  }
}

/** The version of workflows since which operations wait for the store. */
const WAITED_SINCE = 2;
/** How long it is waited for within the operation's own task, in milliseconds; it takes a few where all is well. */
const NEAR_MS = 2_000;
/**
 * Pause between attempts through the queue, in milliseconds. Between two of them it uses no slot of the worker, which
 * has 200 for all activities. One of those is the entity's own attempt to write to the store.
 */
const AFAR_MS = 1_000;

const afar = proxyActivities<Activities>({
  startToCloseTimeout: '1 minute',
  retry: { initialInterval: '200 ms', maximumInterval: '10 s' },
});

/** Whether operations of this run wait until what they did is kept. */
export const waitsForStore = (): boolean => readWorkflowsVersion(workflowInfo().memo) >= WAITED_SINCE;

const SUMMARY = 'Wait for the store';

/** The first wait, from within the operation's own task. */
const waitNear = (told: ToldChanges, say: HowNear['say']) =>
  callNearOrQueued('awaitKept', [{ ...told, forMs: NEAR_MS }], { say, summary: SUMMARY });

/**
 * Returns the grant from within the operation's own task, and waits there for the store. A repetition changes nothing.
 * But an operation may be stopped during repetitions, so only operations without anything to undo use it.
 *
 * @param waits whether it waits for anything
 */
export const endNear =
  (under: () => Lock, changes: InventoryChange[], waits: boolean) => (told: ToldChanges, say: HowNear['say']) => {
    const input = { ...told, changes, forMs: waits ? NEAR_MS : 0 };
    return callNearOrQueued('endGrant', [input], { under, say, summary: 'Release the lock' });
  };

/**
 * Waits until the store has all changes that an operation reported to its infra, before its end is reported.
 *
 * @param say receives the reason of the wait
 * @param outage receives that no system answers
 */
export function waitUntilKept(
  told: ToldChanges,
  say: (keeping: NonNullable<FeedBacklog>) => void,
  outage: HowNear['say'],
  first: (told: ToldChanges, say: HowNear['say']) => Promise<FeedBacklog> = waitNear,
): Promise<void> {
  return CancellationScope.nonCancellable(async () => {
    try {
      let keeping = await first(told, outage);
      while (keeping) {
        say(keeping);
        const known = keeping.trouble?.since ?? '';
        keeping = await afar.awaitKept.executeWithOptions({ summary: SUMMARY }, [{ ...told, forMs: AFAR_MS, known }]);
      }
    } catch (error) {
      // Refused permanently, as for a *Reset*: no receiver exists any more.
      if (isCancellation(error)) throw error;
    }
  });
}
