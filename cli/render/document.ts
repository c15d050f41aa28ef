import type { OperationResult, Progress } from '../../core/operation/operation.js';
import type { Session } from '../program/session.js';
import { changeOf, summaryOf } from './preview.js';

/** A document as JSON. */
export const jsonText = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;

/**
 * Writes the one document of a command, as JSON or as its session says. Notes and warnings that a person reads on standard
 * error are in it as `messages`, unless the document is a list.
 */
export function writeDocument({ out, messages, documentText = jsonText }: Session, value: unknown): void {
  out.write(documentText(addMessages(value, messages)));
}

/** A document with the notes and warnings that belong to it; one without any stays as it is. */
export function addMessages(value: unknown, messages: readonly string[] = []): unknown {
  const isRecord = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isRecord && messages.length > 0 ? { ...value, messages } : value;
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
