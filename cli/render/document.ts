import type { OperationResult, Progress } from '../../core/operation/operation.js';
import type { Session } from '../session.js';
import { changeOf, summaryOf } from './preview.js';

/** A document as JSON. */
export const jsonText = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;

/** Writes the one document of a command, as JSON or as its session says. */
export function writeDocument({ out, documentText = jsonText }: Session, value: unknown): void {
  out.write(documentText(value));
}

/** An operation as `--json` shows it: its result, or where it stands. */
export function operationDocument(operation: OperationResult | Progress): Omit<Progress, 'cells'> {
  const { cells: _, ...document } = { cells: undefined, ...operation };
  return document;
}

/** A preview as `--json` shows it: what its steps change, without the scripts that do it. */
export function previewDocument(result: OperationResult) {
  const plan = result.plan.map(({ step: _, found: __, wants: ___, ...line }) => ({ ...line, change: changeOf(line) }));
  return { ...operationDocument(result), summary: summaryOf(result.plan), plan };
}
