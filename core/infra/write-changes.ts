import type { Definition } from '../definition/definition.js';
import { touchesClaims } from './claims.js';
import { type Applier, addressOf, type DefinitionLog } from './definition-log.js';
import { type Inventory, type InventoryChange, put } from './inventory.js';
import type { ReceivedDefinition } from './lock.js';
import { chooseLater } from './received.js';

/** Target of changes. Its tables are modified in place. */
export interface ChangeTarget {
  readonly inventory: Inventory;
  readonly definitions: DefinitionLog;
  received: ReceivedDefinition | undefined;
}

/**
 * Records what an operation did under its lock. Answers whether what operations claim may follow from it.
 *
 * @param brought definitions by content address that are not in the log yet
 */
export function writeChanges(
  known: ChangeTarget,
  changes: readonly InventoryChange[],
  by: Applier,
  brought?: ReadonlyMap<string, Definition>,
): boolean {
  const { inventory, definitions } = known;
  const goBy = (isOther: boolean) => {
    if (isOther) put(inventory, { change: 'definition', definition: definitions.inForce });
    return isOther;
  };
  let isOther = false;
  for (const change of changes) {
    put(inventory, change);
    if (change.change === 'received')
      known.received = chooseLater(known.received, { operation: by.operation, submitted: change.submitted });
    if (change.change === 'definition') definitions.apply(change.definition, by);
    if (change.change === 'definition-applied') {
      const definition = brought?.get(change.hash) ?? definitions.content(change.hash);
      if (definition) isOther = goBy(definitions.apply(definition, by)) || isOther;
    }
    if (change.change === 'definition-undone') isOther = goBy(definitions.undo(change, by)) || isOther;
  }
  return isOther || changes.some(({ change }) => touchesClaims(change));
}

/**
 * Makes changes independent of earlier entries: a definition that is not in the log is included whole, and the last
 * applied one only by its address.
 */
export function selfContained(
  definitions: DefinitionLog,
  changes: readonly InventoryChange[],
  brought: ReadonlyMap<string, Definition>,
): InventoryChange[] {
  return changes.map((change) => {
    if (change.change === 'definition-applied' && !definitions.content(change.hash)) {
      const definition = brought.get(change.hash);
      return definition ? { change: 'definition', definition } : change;
    }
    if (change.change !== 'definition' || !change.definition) return change;
    const hash = addressOf(change.definition);
    return hash === definitions.last?.hash ? { change: 'definition-applied', hash } : change;
  });
}
