import { uuid4 } from '@temporalio/workflow';
import type { Definition } from '../../core/definition/definition.js';
import { same } from '../../core/encoding/hash.js';
import { touchesClaims } from '../../core/infra/claims.js';
import { emptyInventory, type Inventory, type InventoryChange, put } from '../../core/infra/inventory.js';
import { laterOf, type Received } from '../../core/infra/received.js';
import type { LockRequest } from '../../core/operation/operation.js';
import type { InfraState } from './infra-state.js';

/** What exists of an infra, and which definition it has received last. Its tables are modified in place. */
export class InfraRecord {
  readonly inventory: Inventory;
  received: Received | undefined;

  /** @param before what the run before handed on; absent: the infra is new, and gets its UUID here */
  constructor(scope: { workspace: string; infra: string }, before?: Pick<InfraState, 'inventory' | 'received'>) {
    this.inventory = before ? ownTables(before.inventory) : emptyInventory({ ...scope, uuid: uuid4() });
    this.received = before?.received;
  }

  /** Records what an operation did. Answers whether what operations claim may follow from it. */
  write(operation: string, changes: InventoryChange[]): boolean {
    for (const change of changes) {
      put(this.inventory, change);
      if (change.change === 'received') this.received = laterOf(this.received, { operation, submitted: change.submitted });
    }
    return changes.some(({ change }) => touchesClaims(change));
  }

  /**
   * Takes a definition that comes with the wishes of a batch, unless it is older than the
   * one received last: then the operations go by that. Answers as `write` does.
   */
  receive(definition: Definition, { batch: operation = '', submitted }: Pick<LockRequest, 'batch' | 'submitted'>): boolean {
    if (submitted !== undefined) {
      if (this.received && this.received.submitted > submitted) return false;
      this.received = laterOf(this.received, { operation, submitted });
    }
    if (same(definition, this.inventory.definition)) return false;
    put(this.inventory, { change: 'definition', definition });
    return true;
  }
}

/** Equal parts of what was unpacked are one object, and only the tables of the inventory are modified. */
const ownTables = (inventory: Inventory): Inventory => ({
  ...inventory,
  servers: { ...inventory.servers },
  networks: { ...inventory.networks },
});
