import type { OperationResult, Progress } from '../../core/operation/operation.js';
import type { Session } from '../session.js';
import { changeOf } from './preview.js';

/** Writes the one JSON document of a command. */
export function writeDocument({ out }: Session, value: unknown): void {
  out.write(`${JSON.stringify(value, null, 2)}\n`);
}

/** An operation as `--json` shows it: its result, or where it stands. */
export function operationDocument(operation: OperationResult | Progress): Omit<Progress, 'cells'> {
  const { cells: _, ...document } = { cells: undefined, ...operation };
  return document;
}

/** A preview as `--json` shows it: what its steps change, without the scripts that do it. */
export function previewDocument(result: OperationResult) {
  const plan = result.plan.map(({ step: _, found: __, wants: ___, ...line }) => ({ ...line, change: changeOf(line) }));
  return { ...operationDocument(result), plan };
}
