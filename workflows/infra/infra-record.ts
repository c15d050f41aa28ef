import { uuid4 } from '@temporalio/workflow';
import type { Definition } from '../../core/definition/definition.js';
import { same } from '../../core/encoding/hash.js';
import { DefinitionLog } from '../../core/infra/definition-log.js';
import type { FeedContent, KnownInfra } from '../../core/infra/feed.js';
import { grantFor } from '../../core/infra/grant.js';
import { emptyInventory, type Inventory, type InventoryChange, ownTables } from '../../core/infra/inventory.js';
import type { Grant, ReceivedDefinition } from '../../core/infra/lock.js';
import { findSuperseding } from '../../core/infra/received.js';
import { selfContained, writeChanges } from '../../core/infra/write-changes.js';
import type { Holder, LockRequest } from '../../core/operation/operation.js';
import type { InfraState } from './infra-state.js';

type Known = Pick<InfraState, 'inventory' | 'received' | 'definitions' | 'brought'>;
type Accepted = Extract<FeedContent, { kind: 'changes' }>;

/** Inventory and definitions of an infra. Its tables are modified in place. */
export class InfraRecord {
  readonly inventory: Inventory;
  readonly definitions: DefinitionLog;
  received: ReceivedDefinition | undefined;
  /** By content address: those that operations of batches are to apply. */
  readonly #brought: Map<string, Definition>;
  readonly #accepted: ((changes: Accepted) => void) | undefined;

  /**
   * @param before state of the former run; absent: the infra is new, and gets its UUID here
   * @param accepted receives all written changes
   */
  constructor(scope: { workspace: string; infra: string }, before?: Known, accepted?: (changes: Accepted) => void) {
    this.#accepted = accepted;
    // Equal parts of what was unpacked are one object.
    this.inventory = before ? ownTables(before.inventory) : emptyInventory({ ...scope, uuid: uuid4() });
    this.received = before?.received;
    this.definitions = new DefinitionLog(before?.definitions);
    this.#brought = new Map(Object.entries(before?.brought ?? {}));
  }

  /** Records what an operation did under its lock. Answers whether what operations claim may follow from it. */
  write(holder: Pick<Holder, 'operation' | 'actor' | 'grant'>, changes: InventoryChange[]): boolean {
    const { operation, actor, grant } = holder;
    this.#note({ operation, actor, grant }, changes);
    return writeChanges(this, changes, { operation, actor, at: isoNow() }, this.#brought);
  }

  /** Keeps a definition that operations of a batch are to apply. Nothing goes by it but those. */
  bring(hash: string, definition: Definition): void {
    this.#brought.set(hash, definition);
  }

  /** Reports whether the infra has the content of a definition to apply. */
  has(hash: string): boolean {
    return this.#brought.has(hash);
  }

  /**
   * Takes the definition of a batch of the former release, whose operations do not name it, unless it is older than
   * the last received one. Returns the same as `write`.
   */
  receive(definition: Definition, { batch: operation = '', actor = '', submitted }: Partial<LockRequest>): boolean {
    if (submitted !== undefined && this.received && this.received.submitted > submitted) return false;
    const isOther = !same(definition, this.inventory.definition);
    const changes: InventoryChange[] = [
      ...(submitted === undefined ? [] : [{ change: 'received' as const, submitted }]),
      ...(isOther ? [{ change: 'definition' as const, definition }] : []),
    ];
    if (changes.length === 0) return false;
    this.#note({ operation, actor }, changes);
    writeChanges(this, changes, { operation, actor, at: isoNow() });
    return isOther;
  }

  /** Grant of an admitted operation. */
  grantTo(holder: Holder): Grant {
    const { inventory, received, definitions } = this;
    const { grant, needs = {}, applies, undoes } = holder;
    const superseded = findSuperseding(holder, inventory, received);
    const stays = undoes === undefined ? undefined : definitions.staying(undoes);
    const more = { ...(superseded && { superseded }), ...(stays && { stays }) };
    const definition = applies === undefined ? undefined : this.#brought.get(applies);
    if (applies === undefined || !definition) return { ...grantFor(grant, inventory, needs), ...more };
    const { own: _, ...others } = needs;
    const inForce = definitions.last?.hash === applies;
    return { ...grantFor(grant, { ...inventory, definition }, others), applies: { hash: applies, inForce }, ...more };
  }

  /** All that is known, for who knows nothing of it. */
  known(): KnownInfra {
    const { inventory, received, definitions } = this;
    return { inventory: ownTables(inventory), definitions: definitions.state(), ...(received && { received }) };
  }

  /** State for the next run. Of the received definitions it has only those that a known operation needs. */
  state(known: readonly LockRequest[]): Known {
    const { inventory, received, definitions } = this;
    const wanted = new Set(known.map(({ applies }) => applies));
    const brought = Object.fromEntries([...this.#brought].filter(([hash]) => wanted.has(hash)));
    return { inventory, ...(received && { received }), definitions: definitions.state(), brought };
  }

  /** Before the write, because the replaced definition determines the form of the change. */
  #note(by: Omit<Accepted, 'kind' | 'changes'>, changes: InventoryChange[]): void {
    if (this.#accepted && changes.length > 0)
      this.#accepted({ kind: 'changes', ...by, changes: selfContained(this.definitions, changes, this.#brought) });
  }
}

const isoNow = () => new Date(Date.now()).toISOString();
