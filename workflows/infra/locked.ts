import {
  CancellationScope,
  condition,
  getExternalWorkflowHandle,
  isCancellation,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import { opened } from '../../core/encoding/pack.js';
import type { Inventory, InventoryChange } from '../../core/infra/inventory.js';
import type { Lock } from '../../core/infra/lock.js';
import { infraWorkflowId } from '../../core/names.js';
import type { Grant, LockRequest } from '../../core/operation/operation.js';
import { noteStart } from '../operation/frame/note-start.js';
import { acquire, granted, release } from './infra.js';

/**
 * Does something with the inventory of an infra, alone where nobody else is to work on it meanwhile.
 *
 * @param askNew starts the infra's entity where there is none; absent: then nothing is done
 * @returns what `work` answers; undefined where there is no such infra
 */
export async function withInfra<T>(
  { workspace, infra, actor, alone }: { workspace: string; infra: string; actor: string; alone: boolean },
  work: (inventory: Inventory, record: (...changes: InventoryChange[]) => void, under: () => Lock) => Promise<T>,
  askNew?: (request: LockRequest) => Promise<unknown>,
): Promise<T | undefined> {
  let grant: Grant | undefined;
  setHandler(granted, (given) => {
    grant ??= given;
  });
  const request: LockRequest = { operation: workflowInfo().workflowId, kind: 'cluster', resources: alone ? ['*'] : [], actor };
  const entity = getExternalWorkflowHandle(infraWorkflowId(workspace, infra));
  const under = (): Lock => ({ entity: entity.workflowId, ...(grant && { grant: grant.grant }) });
  await noteStart(under);
  try {
    await entity.signal(acquire, request);
  } catch (error) {
    if (isCancellation(error)) throw error;
    if (!askNew) return undefined;
    await askNew(request);
  }
  await condition(() => grant !== undefined);
  const held = grant as unknown as Grant;
  const changes: InventoryChange[] = [];
  try {
    return await work(opened(held.inventory), (...more) => void changes.push(...more), under);
  } finally {
    await CancellationScope.nonCancellable(() => entity.signal(release, { grant: held.grant, changes }).catch(() => {}));
  }
}
