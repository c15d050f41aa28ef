import { workflowInfo } from '@temporalio/workflow';
import { unpackIfPacked } from '../../core/encoding/pack.js';
import type { Inventory, InventoryChange } from '../../core/infra/inventory.js';
import type { Lock } from '../../core/infra/lock.js';
import { infraWorkflowId } from '../../core/names.js';
import type { LockRequest } from '../../core/operation/operation.js';
import { noteStart } from '../operation/frame/admit.js';
import { takeTurn } from './take-turn.js';

/** An infra, and how its lock is asked for. */
export interface LockTarget {
  workspace: string;
  infra: string;
  actor: string;
  /** No other operation may work on the infra in that time. */
  alone: boolean;
  /** First pause before the request for the lock is repeated, in milliseconds. */
  askAgainMs?: number;
}

/**
 * Does something with the inventory of an infra, under its lock.
 *
 * @param askNew starts the infra's entity if it is missing; absent: then nothing is done
 * @returns what `work` answers; undefined if there is no such infra
 */
export async function lockInfra<T>(
  { workspace, infra, actor, alone, askAgainMs }: LockTarget,
  work: (inventory: Inventory, record: (...changes: InventoryChange[]) => void, under: () => Lock) => Promise<T>,
  askNew?: (request: LockRequest) => Promise<unknown>,
): Promise<T | undefined> {
  const request: LockRequest = { operation: workflowInfo().workflowId, kind: 'cluster', resources: alone ? ['*'] : [], actor };
  await noteStart(() => ({ entity: infraWorkflowId(workspace, infra) }));
  const turn = await takeTurn({ workspace, infra, request, firstMs: askAgainMs, askNew });
  if (!turn) return undefined;
  const changes: InventoryChange[] = [];
  try {
    return await work(unpackIfPacked(turn.grant.inventory), (...more) => void changes.push(...more), turn.under);
  } finally {
    await turn.end(changes);
  }
}
