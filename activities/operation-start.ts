import { WorkflowIdReusePolicy, type WorkflowStartOptions } from '@temporalio/client';
import { defineSearchAttributeKey } from '@temporalio/common';
import { SEARCH_ATTRIBUTES } from '../core/names.js';
import type { OperationRequest } from '../core/operation.js';
import { detailsOf, summaryOf } from '../core/operation-summary.js';

/** How an operation that has its locks already is started: eagerly, so that this worker takes its first task at once. */
export function startOptions(request: OperationRequest, { taskQueue }: { taskQueue: string }): WorkflowStartOptions {
  const { kind, workspace, infra, actor, priority } = request;
  const values = { kind, workspace, infra, actor, status: 'running' } as const;
  return {
    workflowId: request.id,
    taskQueue,
    args: [request],
    workflowIdReusePolicy: WorkflowIdReusePolicy.REJECT_DUPLICATE,
    requestEagerStart: true,
    ...(priority && { priority: { priorityKey: priority } }),
    typedSearchAttributes: Object.entries(values).map(([name, value]) => ({
      key: defineSearchAttributeKey(SEARCH_ATTRIBUTES[name as keyof typeof values], 'KEYWORD'),
      value,
    })),
    staticSummary: summaryOf(request),
    staticDetails: detailsOf(request),
  };
}
