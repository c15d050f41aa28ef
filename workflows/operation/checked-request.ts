import { ApplicationFailure, workflowInfo } from '@temporalio/workflow';
import { readWorkflowsVersion } from '../../core/engine/workflows-version.js';
import { type ErrorDetails, errorText, ProvisioningError } from '../../core/errors.js';
import { checkRequest, type RequestName } from '../../core/operation/check-request.js';
import type { OperationKind, OperationResult } from '../../core/operation/operation.js';
import { createRefusal } from './failures.js';

/**
 * Ends a workflow with invalid input before its use. Temporal would retry the same turn forever after an error within
 * the workflow's code.
 */
export function refuseBadRequest(asked: RequestName, request: unknown): void {
  const details = refusalOf(asked, request);
  if (details) throw createRefusal(details);
}

/** The same for a workflow whose failures carry its result. */
export function refuseBadBatch(request: unknown): void {
  const details = refusalOf('batch', withNewId(request));
  if (details) throw ApplicationFailure.nonRetryable(errorText(details), 'bad-request');
}

/** How an operation ends that was asked for what no operation can be asked; undefined where all is well. */
export function badOperation(request: unknown): OperationResult | undefined {
  const { workflowId, workflowType } = workflowInfo();
  const { id, kind } = (request ?? {}) as { id?: unknown; kind?: unknown };
  const why =
    refusalOf('operation', withNewId(request))?.why ??
    (id === workflowId ? undefined : 'id: is not the id of the workflow') ??
    (kind === workflowType ? undefined : 'kind: is not the type of the workflow');
  if (why === undefined) return undefined;
  return {
    ...{ operation: workflowId, kind: workflowType as OperationKind, workspace: '', infra: '', status: 'failed' },
    ...{ steps: { executed: 0, planned: 0 }, services: [], plan: [], control: [] },
    error: { step: 'Read the request', on: workflowId, why, code: 'bad-request', exitCode: 2 },
  };
}

/** The version of workflows since which ids have no slashes and fit into the names of records. */
const SHORT_IDS_SINCE = 2;

/** A run that a former version began goes on under the id that it has. */
function withNewId(request: unknown): unknown {
  return readWorkflowsVersion(workflowInfo().memo) >= SHORT_IDS_SINCE ? request : { ...(request as object), id: 'former' };
}

function refusalOf(asked: RequestName, request: unknown): ErrorDetails | undefined {
  try {
    checkRequest(asked, request, { strict: false });
    return undefined;
  } catch (error) {
    if (error instanceof ProvisioningError) return error.details;
    throw error;
  }
}
