import type { OperationKind } from '../../core/operation/operation.js';
import type { Engine } from '../engine.js';
import { resultOf } from './state.js';

/** What an operation left to be rolled back. */
export interface Left {
  kind: OperationKind;
  workspace: string;
  infra: string;
  left: number;
}

/**
 * What an operation left to be rolled back: as the store has it, else as its result says,
 * for whose end it waits. @throws inputError `unknown-operation`
 */
export async function compensationsIn(engine: Engine, operation: string): Promise<Left> {
  const own = await engine.stores.findRollback(operation);
  const kept = own?.of === undefined ? own : await engine.stores.findRollback(own.of);
  const { kind, workspace, infra, compensations = [] } = kept ?? (await resultOf(engine, own?.of ?? operation));
  return { kind, workspace, infra, left: compensations.length };
}
