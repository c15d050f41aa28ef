import type { KeepInput } from '../../activities/infra/keep-rollback.js';
import { exitCodeOf } from '../../core/exit-codes.js';
import type { InventoryChange } from '../../core/infra/inventory.js';
import type { Grant } from '../../core/infra/lock.js';
import { infraWorkflowId } from '../../core/names.js';
import type { BatchReport } from '../../core/operation/batch.js';
import type { Progress } from '../../core/operation/operation.js';
import type { ActivityUser, AnyPhase } from '../operation/operation.js';

/** End of an operation, and the data that must be stored before the end is reported. */
interface End {
  summary: string;
  kept?: KeepInput;
}

/**
 * Reports an operation's work to the infra, and with `end` its end to the infra and the batch, in one request that it
 * shares with others. An operation closes only after the report was received.
 */
export async function reportToBatch(
  { request, activities, progress }: AnyPhase & ActivityUser<'tell'>,
  grant: Grant,
  changes: InventoryChange[],
  end?: End,
) {
  const { id, workspace, infra, batch } = request;
  const entity = infraWorkflowId(workspace, infra);
  const status = reportedAs(progress);
  const report = {
    index: batch?.index ?? 0,
    operation: id,
    status,
    ...(status === 'done' ? {} : { why: end?.summary.slice(0, 300) }),
    ...(progress.left?.length ? { left: progress.left.slice(0, 5) } : {}),
  } as const;
  await activities.tell({
    entity,
    grant: grant.grant,
    changes,
    lingerMs: batch?.lingerMs ?? 0,
    ...(end?.kept && { kept: end.kept }),
    ...(batch && end !== undefined ? { ended: { batch: batch.id, report } } : {}),
  });
}

/** How a batch counts its end. */
function reportedAs(progress: Progress): BatchReport['status'] {
  const { status } = progress;
  if (status === 'canceled' || status === 'superseded') return status;
  return exitCodeOf(progress) === 0 ? 'done' : 'failed';
}
