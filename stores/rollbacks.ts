import type { OperationKind } from '../core/operation/operation.js';
import type { Compensation, RolledBack } from '../core/operation/to-undo.js';
import { packJson, unpackJson } from './packed.js';

/** An operation, and the infra that it worked on. */
export interface RollbackOwner {
  workspace: string;
  infra: string;
  operation: string;
}

/** Stored data of an operation with effects. */
export interface KeptRollback {
  kind: OperationKind;
  /** For a roll-back: the operation whose work it rolls back. The rest of that work is stored only there. */
  of?: string;
  /** Newest first. Empty: all was undone. */
  compensations: Compensation[];
  /** It was rolled back. The rest stays, unless a further roll-back is requested. */
  rolledBack?: RolledBack;
}

/**
 * Roll-back data of operations, kept as long as their infra lives, because Temporal deletes them. Only the worker
 * writes them, since their content runs as root (docs/decisions/2026-11-22-roll-back-data-is-kept.md).
 */
export interface RollbackStore {
  /** Replaces the former data of the operation. Resolves once the data survive a power cut. */
  keep(owner: RollbackOwner, kept: KeptRollback): Promise<void>;
  read(owner: RollbackOwner): Promise<KeptRollback | undefined>;
  /** The same for callers that know only the id. */
  find(operation: string): Promise<(RollbackOwner & KeptRollback) | undefined>;
  /** Forgets an operation; without one, all of the infra. */
  drop(owner: Omit<RollbackOwner, 'operation'> & { operation?: string }): Promise<void>;
}

/**
 * Returns the context that roll-back data are sealed for: the data of one operation cannot replace those of another.
 */
export const contextOfRollback = ({ workspace, infra, operation }: RollbackOwner): string =>
  `rollback/${workspace}/${infra}/${operation}`;

/** As bytes, which stores seal. */
export const packRollback = (kept: KeptRollback): Promise<Buffer> => packJson(kept);

export const unpackRollback = (bytes: Uint8Array): Promise<KeptRollback> => unpackJson(bytes);
