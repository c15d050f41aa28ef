import type { Inventory } from '../../core/infra/inventory.js';
import { type OutputValue, resolveOutputs } from '../../core/infra/outputs.js';
import { describeReach, type Reach } from '../../core/infra/reach.js';
import type { OperationResult } from '../../core/operation/operation.js';
import type { Session } from '../program/session.js';

/** Lines of it that a person is shown after an operation. */
export const REACH_LINES = 8;

/** What is told after an operation of what it deployed. */
export interface DeployedServices {
  reach: Reach[];
  outputs: OutputValue[];
}

/** How what an operation deployed is reached; undefined where it deployed nothing, or that cannot be said now. */
export async function reachAfter(session: Session, result: OperationResult): Promise<DeployedServices | undefined> {
  const { status, supersededBy, workspace, infra } = result;
  if (status !== 'done' || supersededBy) return undefined;
  try {
    const client = await session.client();
    const [inventory, infras] = await Promise.all([
      client.infras.inventory({ workspace, infra }),
      client.infras.list({ workspace }),
    ]);
    if (!inventory?.definition) return undefined;
    return { reach: reachIn(inventory, infras.length > 1) ?? [], outputs: resolveOutputs(inventory.definition, inventory) };
  } catch {
    // The operation is done, whether or not this can be said.
    return undefined;
  }
}

/** How what an inventory has is reached. @param many whether commands have to say which infra is meant */
export const reachIn = (inventory: Inventory, many: boolean): Reach[] | undefined =>
  inventory.definition && describeReach(inventory.definition, inventory, many ? ` --infra ${inventory.infra}` : '');
