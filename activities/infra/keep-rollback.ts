import { messageOf, ProvisioningError, unreachableError } from '../../core/errors.js';
import type { OperationKind } from '../../core/operation/operation.js';
import type { Compensation, RolledBack } from '../../core/operation/to-undo.js';
import type { RollbackStore } from '../../stores/rollbacks.js';

/** Roll-back data of an operation, once it has settled. */
export interface KeepInput {
  workspace: string;
  infra: string;
  operation: string;
  kind: OperationKind;
  /** Newest first. For a roll-back: the rest of the operation `of`; absent if it undid nothing. */
  compensations?: Compensation[];
  /** For a roll-back: the operation whose work it rolls back. */
  of?: string;
  /** The roll-back is complete. Absent if something is left, and in data of former releases. */
  rolledBack?: RolledBack;
}

/** Keeps what an operation can be rolled back by for as long as its infra lives. Safe to repeat; a store that fails is asked again. */
export const createKeepRollback = (rollbacks: RollbackStore) =>
  async function keepRollback({ workspace, infra, operation, kind, compensations, of, rolledBack }: KeepInput): Promise<void> {
    const owner = { workspace, infra };
    try {
      // Only the first operation's record has the rest: a roll-back of the roll-back continues with it.
      if (compensations)
        await rollbacks.keep({ ...owner, operation: of ?? operation }, { kind, compensations, ...(rolledBack && { rolledBack }) });
      if (of !== undefined) await rollbacks.keep({ ...owner, operation }, { kind, of, compensations: [] });
    } catch (error) {
      if (error instanceof ProvisioningError) throw error;
      const why = messageOf(error);
      const hint = 'free disk space, or make the store writable for the worker: the operation retries';
      throw unreachableError(
        { code: 'store-unreachable', what: 'keep roll-back data', on: operation, why, hint },
        { cause: error },
      );
    }
  };
