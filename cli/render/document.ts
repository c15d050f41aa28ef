import type { OperationResult, Progress } from '../../core/operation/operation.js';
import type { Session } from '../session.js';

/** Writes the one JSON document of a command. */
export function writeDocument({ out }: Session, value: unknown): void {
  out.write(`${JSON.stringify(value, null, 2)}\n`);
}

/** An operation as `--json` shows it: its result, or where it stands. */
export function operationDocument(operation: OperationResult | Progress): Omit<Progress, 'cells'> {
  const { cells: _, ...document } = { cells: undefined, ...operation };
  return document;
}
