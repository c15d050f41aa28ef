import type { OperationResult, Progress } from '../../core/operation/operation.js';
import type { Session } from '../program/session.js';
import { changeOf, summaryOf } from './preview.js';

/** Formats a document as JSON. */
export const jsonText = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;

/**
 * Writes a command's document as JSON or in the session's format. Notes and warnings on standard error are included as
 * `messages`, unless the document is a list.
 */
export function writeDocument({ out, messages, documentText = jsonText }: Session, value: unknown): void {
  out.write(documentText(addMessages(value, messages)));
}

/** Adds notes and warnings to a document. A document without any stays unchanged. */
export function addMessages(value: unknown, messages: readonly string[] = []): unknown {
  const isRecord = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isRecord && messages.length > 0 ? { ...value, messages } : value;
}

/** Returns an operation for `--json`: its result or its progress. */
export function operationDocument(operation: OperationResult | Progress): Omit<Progress, 'cells'> {
  const { cells: _, ...document } = { cells: undefined, ...operation };
  return document;
}

/** Returns a preview for `--json`: the changes of its steps, without their scripts. */
export function previewDocument(result: OperationResult) {
  const plan = result.plan.map(({ step: _, found: __, wants: ___, ...line }) => ({ ...line, change: changeOf(line) }));
  return { ...operationDocument(result), summary: summaryOf(result.plan), plan };
}
