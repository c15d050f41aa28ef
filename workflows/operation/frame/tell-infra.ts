import { getExternalWorkflowHandle } from '@temporalio/workflow';
import type { InventoryChange } from '../../../core/infra/inventory.js';
import { type Grant, isLockLost } from '../../../core/infra/lock.js';
import { infraWorkflowId } from '../../../core/names.js';
import { tellBatch } from '../../batch/tell-batch.js';
import { changed, release } from '../../infra/infra.js';
import { describeFailure } from '../failures.js';
import type { Acting, Asked, Resulting } from '../operation.js';
import { summaryOf } from '../outcome.js';
import { type Leaving, toKeep } from './keep-rollback.js';

type Teller = Asked & Resulting & Acting<'tell'>;

const entityOf = ({ request: { workspace, infra } }: Asked) => getExternalWorkflowHandle(infraWorkflowId(workspace, infra));

/** Tells the infra's entity what was done under a grant, and waits until it knows. */
export function tellChanges(operation: Teller, grant: Grant, changes: InventoryChange[]): Promise<void> {
  if (operation.request.batch) return tellBatch(operation, grant, changes);
  return entityOf(operation).signal(changed, { grant: grant.grant, changes });
}

/** Of a *Reset* of what had ended: its batch was told then. */
function unlessLost(error: unknown): void {
  if (!isLockLost(describeFailure(error, { step: 'Tell the batch', on: '' }).code)) throw error;
}

/** Gives the grant back, with what was not told yet. That nobody is there any more to hear it is no error. */
export function tellEnd(operation: Teller & Leaving, grant: Grant, changes: InventoryChange[]): Promise<void> {
  const end = () => ({ summary: summaryOf(operation.progress), kept: toKeep(operation) });
  if (operation.request.batch) return tellBatch(operation, grant, changes, end()).catch(unlessLost);
  return entityOf(operation)
    .signal(release, { grant: grant.grant, changes })
    .catch(() => {});
}
