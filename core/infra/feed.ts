import { DefinitionLog, type DefinitionLogState } from './definition-log.js';
import { emptyInventory, type Inventory, type InventoryChange, ownTables } from './inventory.js';
import type { ReceivedDefinition } from './lock.js';
import { writeChanges } from './write-changes.js';

/** State of an infra without its operations. */
export interface KnownInfra {
  inventory: Inventory;
  definitions: DefinitionLogState;
  /** The definition that was submitted last of all that it has received. */
  received?: ReceivedDefinition;
}

/** Content of a feed's entry. It is the same at each attempt to append it, so it has no time. */
export type FeedContent =
  /** Changes of an operation under a grant. Without a grant: changes of a batch of a former release. */
  | { kind: 'changes'; operation: string; actor: string; grant?: number; changes: InventoryChange[] }
  /** All that is known by then: whatever is before it is not needed any more. */
  | ({ kind: 'snapshot' } & KnownInfra)
  /** The infra was deleted as a whole: this life of it is not brought back. */
  | { kind: 'ended' };

/** One change of an infra that its entity has accepted. */
export interface FeedEntry {
  /** Number from 1, within the lifetime of the infra that has this UUID. */
  sequence: number;
  /** ISO time of the first attempt to append the entry. */
  at: string;
  content: FeedContent;
}

/** Changes of one life of an infra, from the last snapshot on. */
export interface Feed {
  uuid: string;
  /** In the order of their sequence, without a gap. */
  entries: FeedEntry[];
}

/** Whether what is before an entry is not needed any more. */
export const isBase = ({ content }: FeedEntry): boolean => content.kind !== 'changes';

/** Whether the infra was deleted as a whole in this life. */
export const hasEnded = ({ entries }: Feed): boolean => entries.at(-1)?.content.kind === 'ended';

/** Returns the state of an infra after all changes of a feed. */
export function replayFeed(scope: { workspace: string; infra: string }, { uuid, entries }: Feed): KnownInfra {
  let inventory = emptyInventory({ ...scope, uuid });
  let definitions = new DefinitionLog();
  let received: ReceivedDefinition | undefined;
  for (const { at, content } of entries) {
    if (content.kind === 'changes') {
      const known = { inventory, definitions, received };
      writeChanges(known, content.changes, { operation: content.operation, actor: content.actor, at });
      received = known.received;
      continue;
    }
    const base = content.kind === 'snapshot' ? content : undefined;
    inventory = base ? ownTables(base.inventory) : emptyInventory({ ...scope, uuid });
    definitions = new DefinitionLog(base?.definitions);
    received = base?.received;
  }
  return { inventory, definitions: definitions.state(), ...(received && { received }) };
}
