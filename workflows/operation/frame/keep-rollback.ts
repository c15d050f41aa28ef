import { workflowInfo } from '@temporalio/workflow';
import type { KeepInput } from '../../../activities/infra/keep-rollback.js';
import { versionOf } from '../../../core/engine/workflows-version.js';
import type { Lock } from '../../../core/infra/lock.js';
import { type HowNear, nearOrQueued } from '../../near-or-queued.js';
import { describeFailure } from '../failures.js';
import type { Asked, Compensating, Resulting, RollingBack } from '../operation.js';

/** The version of workflows since which it is kept. */
const KEPT_SINCE = 2;

/** What is looked at of an operation that ends. */
export type Leaving = Asked & Resulting & Compensating & RollingBack;

/** What is to be kept of an operation that has settled; undefined where there is nothing. */
export function toKeep({ request, rollback, compensations, progress }: Leaving): KeepInput | undefined {
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
  // Once Temporal has forgotten it, this alone says that all was undone.
  return { ...own, compensations: left, ...(progress.left?.length ? {} : { rolledBack }) };
}

/**
 * Keeps what the operation can be rolled back by where it outlives Temporal's history, before
 * anybody hears of the end. Operations of batches have it kept with the news of it (tell-batch.ts).
 *
 * @param under its lock: a *Reset* that has lost that does not write over what was kept
 * @param say receives what keeps it waiting
 */
export async function keepRollback(operation: Leaving, under: () => Lock, say: HowNear['say']): Promise<void> {
  const input = operation.request.batch ? undefined : toKeep(operation);
  // The version costs nothing, where a patch would write two events into the history of every operation.
  if (!input || versionOf(workflowInfo().memo) < KEPT_SINCE) return;
  try {
    await nearOrQueued('keepRollback', [input], { under, say, summary: 'Keep roll-back data' });
  } catch (error) {
    // Refused for good: its end is not held back, since others wait for its locks.
    const { why } = describeFailure(error, { step: 'Keep roll-back data', on: input.infra });
    const text = `it can be rolled back only as long as Temporal keeps its history: ${why}`;
    operation.progress.notes = [...(operation.progress.notes ?? []), { on: input.infra, text }];
  }
}
