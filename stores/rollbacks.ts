import type { OperationKind } from '../core/operation/operation.js';
import type { Compensation, RolledBack } from '../core/operation/to-undo.js';
import { packJson, unpackJson } from './packed.js';

/** An operation, and the infra that it worked on. */
export interface RollbackOwner {
  workspace: string;
  infra: string;
  operation: string;
}

/** What is kept of an operation that did something. */
export interface KeptRollback {
  kind: OperationKind;
  /** Of a roll-back: the operation whose work it rolls back. What is left of that is kept there, and nowhere else. */
  of?: string;
  /** Newest first. None: all was undone. */
  compensations: Compensation[];
  /** It was rolled back; what is left stays, unless somebody wants that undone, too. */
  rolledBack?: RolledBack;
}

/**
 * What operations can be rolled back by, as long as their infra lives: Temporal forgets them.
 * Written by the worker alone, since what it says is run as root (docs/decisions/2026-11-22-roll-back-data-is-kept.md).
 */
export interface RollbackStore {
  /** Replaces what was kept of the operation before. Answered once it outlives a power cut. */
  keep(owner: RollbackOwner, kept: KeptRollback): Promise<void>;
  read(owner: RollbackOwner): Promise<KeptRollback | undefined>;
  /** The same for who knows the id alone. */
  find(operation: string): Promise<(RollbackOwner & KeptRollback) | undefined>;
  /** Forgets an operation; without one, all of the infra. */
  drop(owner: Omit<RollbackOwner, 'operation'> & { operation?: string }): Promise<void>;
}

/** What roll-back data are sealed for: of one operation they cannot stand for another. */
export const contextOfRollback = ({ workspace, infra, operation }: RollbackOwner): string =>
  `rollback/${workspace}/${infra}/${operation}`;

/** As bytes, which stores seal. */
export const packRollback = (kept: KeptRollback): Promise<Buffer> => packJson(kept);

export const unpackRollback = (bytes: Uint8Array): Promise<KeptRollback> => unpackJson(bytes);
