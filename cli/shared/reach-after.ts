import type { Inventory } from '../../core/infra/inventory.js';
import { type OutputValue, resolveOutputs } from '../../core/infra/outputs.js';
import { describeReach, type Reach } from '../../core/infra/reach.js';
import type { OperationResult } from '../../core/operation/operation.js';
import type { Session } from '../program/session.js';

/** Maximum number of lines after an operation. */
export const REACH_LINES = 8;

/** Services to report after an operation that deployed them. */
export interface DeployedServices {
  reach: Reach[];
  outputs: OutputValue[];
}

/** Returns how to reach what an operation deployed. Undefined if it deployed nothing, or if that is unknown now. */
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
    // The operation has succeeded even if this is unknown.
    return undefined;
  }
}

/**
 * Returns how to reach the services of an inventory.
 *
 * @param many whether commands must name the infra
 */
export const reachIn = (inventory: Inventory, many: boolean): Reach[] | undefined =>
  inventory.definition && describeReach(inventory.definition, inventory, many ? ` --infra ${inventory.infra}` : '');
