import { ServiceError, type WorkflowExecutionDescription } from '@temporalio/client';
import { createQueuedProgress, type OperationKind, type Progress } from '../../core/operation/operation.js';
import { attributeOf } from '../temporal/visibility.js';

/** Temporal's message about a workflow that was ended before a worker had started its first task. */
const NEVER_BEGUN = /closed before WorkflowTaskStarted/i;

/** Whether asking an operation failed since it was ended before its first task. */
export const isNeverBegun = (error: unknown): error is ServiceError =>
  error instanceof ServiceError && NEVER_BEGUN.test(`${error.message} ${String(error.cause)}`);

/**
 * Returns the state of an operation that was ended from outside before its start: it answers no query, and did
 * nothing. Undefined for other operations.
 *
 * @param error result of the query
 */
export function neverBegun(error: unknown, description: WorkflowExecutionDescription): Progress | undefined {
  if (!isNeverBegun(error)) return undefined;
  const { workflowId: id, type } = description;
  const place = { workspace: attributeOf(description, 'workspace'), infra: attributeOf(description, 'infra') };
  return { ...createQueuedProgress({ id, kind: type as OperationKind, ...place }), cells: [] };
}
