import type { Packable } from '../encoding/pack.js';
import type { Inventory } from './inventory.js';

/** A definition that an infra has received: of which operation, and when that was submitted. */
export interface ReceivedDefinition {
  operation: string;
  /** ISO time. */
  submitted: string;
}

/** Grant of an infra's entity to an operation that requested locks. */
export interface Grant {
  /** Counts up within an infra; a release names the grant it ends. */
  grant: number;
  /** The part of the inventory that the operation needs. */
  inventory: Packable<Inventory>;
  /** The definition that the operation brings is the last applied one, and is not sent back to it. */
  sameDefinition?: true;
  /** The definition in the inventory is not the last applied one, but the one that the operation is to apply. */
  applies?: { hash: string; inForce: boolean };
  /** For a roll-back: the operation whose definition remains the last applied one. */
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

/**
 * Question to an infra's entity: whether this operation holds this grant. Without a grant: whether the operation is
 * known.
 */
export interface GrantQuery {
  operation: string;
  grant?: number;
}

/** The entity says that a grant does not hold any more, or a host has seen a later one. */
const LOST: readonly (string | undefined)[] = ['grant-lost', 'grant-superseded'];

/** Whether a failure of this code says that its operation works without a lock: it must not undo anything either. */
export const isLockLost = (code: string | undefined): boolean => LOST.includes(code);
