import { CancellationScope } from '@temporalio/workflow';
import { inventoryOf } from '../../../core/infra/grant.js';
import { type Inventory, type InventoryChange, record } from '../../../core/infra/inventory.js';
import type { Grant, OperationRequest } from '../../../core/operation/operation.js';
import type { Recording } from '../operation.js';

/** What an operation holds of its infra: the grant, and the inventory as it is with what was done under it. */
export interface HeldInfra extends Recording {
  /** Undefined until it came. */
  readonly grant: Grant | undefined;
  /** The grant has come. A second one changes nothing. */
  give(grant: Grant): void;
  /** From now on it is the inventory that the grant brought. */
  begin(grant: Grant): void;
  /** What was recorded and not told yet; it is told by whoever asks. */
  takeUntold(): InventoryChange[];
}

/**
 * An infra of which nothing is held yet.
 *
 * @param tell tells the infra's entity what was done under a grant
 */
export function heldInfraOf(
  request: OperationRequest,
  tell: (grant: Grant, changes: InventoryChange[]) => Promise<void>,
): HeldInfra {
  const { workspace, infra } = request;
  let grant: Grant | undefined;
  let inventory: Inventory = { workspace, infra, uuid: '', servers: {}, networks: {} };
  const untold: InventoryChange[] = [];
  const held: HeldInfra = {
    get grant() {
      return grant;
    },
    get inventory() {
      return inventory;
    },
    give(given) {
      grant ??= given;
    },
    begin(given) {
      grant = given;
      inventory = inventoryOf(given, request);
    },
    takeUntold: () => untold.splice(0),
    async record(...entries) {
      held.recordSoon(...entries);
      if (!grant) return;
      const under = grant;
      const changes = held.takeUntold();
      // What was done is recorded, also when a cancel came while it was done: nobody would find it otherwise.
      await CancellationScope.nonCancellable(() => tell(under, changes));
    },
    recordSoon(...entries) {
      for (const entry of entries) inventory = record(inventory, entry);
      untold.push(...entries);
    },
  };
  return held;
}
