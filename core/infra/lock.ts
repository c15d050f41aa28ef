import type { Packable } from '../encoding/pack.js';
import type { Inventory } from './inventory.js';

/** A definition that an infra has received: of which operation, and when that was submitted. */
export interface ReceivedDefinition {
  operation: string;
  /** ISO time. */
  submitted: string;
}

/** What the entity of an infra gives an operation that asked for locks. */
export interface Grant {
  /** Counts up within an infra; a release names the grant it ends. */
  grant: number;
  /** Of it what the operation needs. */
  inventory: Packable<Inventory>;
  /** The definition that the operation brings is the last applied one, and is not sent back to it. */
  sameDefinition?: true;
  /** The definition in the inventory is not the last applied one, but the one that the operation is to apply. */
  applies?: { hash: string; inForce: boolean };
  /** Of a roll-back: whose definition stays the last applied one. */
  stays?: { operation: string; at: string };
  /** The infra has received a definition that was submitted later: the operation is to end without doing anything. */
  superseded?: ReceivedDefinition;
}

/** A lock of an infra, as an operation has it. */
export interface Lock {
  /** The id of the entity that gives and takes it. */
  entity: string;
  /** Absent: it was asked for at most. */
  grant?: number;
}

/** What the entity of an infra is asked: whether this operation holds this grant; without one, whether it is known at all. */
export interface GrantQuery {
  operation: string;
  grant?: number;
}

/** The entity says that a grant does not hold any more, or a host has seen a later one. */
const LOST: readonly (string | undefined)[] = ['grant-lost', 'grant-superseded'];

/** Whether a failure of this code says that its operation works without a lock: it must not undo anything either. */
export const isLockLost = (code: string | undefined): boolean => LOST.includes(code);
