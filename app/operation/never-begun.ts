import { ServiceError, type WorkflowExecutionDescription } from '@temporalio/client';
import { createQueuedProgress, type OperationKind, type Progress } from '../../core/operation/operation.js';
import { attributeOf } from '../temporal/visibility.js';

/** Temporal's words where a workflow was ended before a worker had taken up its first task. */
const NEVER_BEGUN = /closed before WorkflowTaskStarted/i;

/** Whether asking an operation failed since it was ended before its first task. */
export const isNeverBegun = (error: unknown): error is ServiceError =>
  error instanceof ServiceError && NEVER_BEGUN.test(`${error.message} ${String(error.cause)}`);

/**
 * The state of an operation that was ended from outside before it could do anything: it answers no query, and did nothing.
 * Undefined for other operations.
 *
 * @param error what asking it came to
 */
export function neverBegun(error: unknown, description: WorkflowExecutionDescription): Progress | undefined {
  if (!isNeverBegun(error)) return undefined;
  const { workflowId: id, type } = description;
  const place = { workspace: attributeOf(description, 'workspace'), infra: attributeOf(description, 'infra') };
  return { ...createQueuedProgress({ id, kind: type as OperationKind, ...place }), cells: [] };
}
