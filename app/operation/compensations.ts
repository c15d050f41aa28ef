import type { OperationKind, OperationResult } from '../../core/operation/operation.js';
import type { RolledBack } from '../../core/operation/to-undo.js';
import { splitUndo } from '../../core/operation/to-undo.js';
import type { Engine } from '../engine.js';
import { awaitOperationResult } from './state.js';

type Known = Pick<OperationResult, 'kind' | 'workspace' | 'infra' | 'compensations'> & { rolledBack?: RolledBack };

/** Work that a roll-back of an operation undoes. */
export interface RollbackWork {
  /** Operation that did the work. For a roll-back it is the operation that was rolled back. */
  of: string;
  kind: OperationKind;
  workspace: string;
  infra: string;
  /** How many things a roll-back undoes. */
  left: number;
  /** How many it leaves, since they only repaired something. */
  repairs: number;
  rolledBack?: RolledBack;
}

/**
 * Returns the work that a roll-back of an operation undoes, from the store or otherwise from its result. It waits for
 * the end of the operation.
 *
 * @throws inputError `unknown-operation`
 */
export async function compensationsIn(engine: Engine, operation: string): Promise<RollbackWork> {
  const own = await engine.stores.rollbacks.find(operation);
  const of = own?.of ?? operation;
  const kept = own?.of === undefined ? own : await engine.stores.rollbacks.find(own.of);
  const known: Known = kept ?? (await awaitOperationResult(engine, of));
  const { kind, workspace, infra, compensations = [], rolledBack } = known;
  const { undo, stay } = splitUndo(compensations, { rolledBack });
  return { of, kind, workspace, infra, left: undo.length, repairs: stay.length, ...(rolledBack && { rolledBack }) };
}
