/** A lock of an infra, as an operation has it. */
export interface Lock {
  /** The id of the entity that gives and takes it. */
  entity: string;
  /** Absent: it was asked for at most. */
  grant?: number;
}

/** What the entity of an infra is asked: whether this operation holds this grant; without one, whether it is known at all. */
export interface Holding {
  operation: string;
  grant?: number;
}

/** The entity says that a grant does not hold any more, or a host has seen a later one. */
const LOST: readonly (string | undefined)[] = ['grant-lost', 'grant-superseded'];

/** Whether a failure of this code says that its operation works without a lock: it must not undo anything either. */
export const isLockLost = (code: string | undefined): boolean => LOST.includes(code);
