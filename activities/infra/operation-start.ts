import { WorkflowIdReusePolicy, type WorkflowStartOptions } from '@temporalio/client';
import type { OperationRequest } from '../../core/operation/operation.js';
import { detailsOf, summaryOf } from '../../core/operation/operation-summary.js';
import { attributesFrom } from '../../core/operation/search-attributes.js';
import { taskTimeoutOf } from '../../core/operation/task-timeout.js';

/** How an operation that has its locks already is started: eagerly, so that this worker takes its first task at once. */
export function startOptions(request: OperationRequest, { taskQueue }: { taskQueue: string }): WorkflowStartOptions {
  const { kind, workspace, infra, actor, priority } = request;
  return {
    workflowId: request.id,
    taskQueue,
    args: [request],
    workflowTaskTimeout: taskTimeoutOf(request),
    workflowIdReusePolicy: WorkflowIdReusePolicy.REJECT_DUPLICATE,
    requestEagerStart: true,
    ...(priority && { priority: { priorityKey: priority } }),
    typedSearchAttributes: attributesFrom({ kind, workspace, infra, actor, status: 'running' }),
    staticSummary: summaryOf(request),
    staticDetails: detailsOf(request),
  };
}
