import { type Client, WorkflowFailedError, WorkflowNotFoundError } from '@temporalio/client';
import { CancelledFailure } from '@temporalio/common';
import { carriedResult } from '../core/carried-result.js';
import type { Compensation, OperationResult, Progress } from '../core/operation.js';

/**
 * What an operation left to be taken back, newest first; waits for its end.
 * Nothing where it never was, was terminated or timed out: what such a one made,
 * orphans name. Throws what the server or the network throws, so that it is asked again.
 */
export async function compensationsOf(temporal: Client, operation: string): Promise<Compensation[]> {
  const handle = temporal.workflow.getHandle(operation);
  try {
    return ((await handle.result()) as OperationResult).compensations ?? [];
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return [];
    if (!(error instanceof WorkflowFailedError)) throw error;
    const carried = carriedResult<OperationResult>(error);
    if (carried) return carried.compensations ?? [];
    if (!(error.cause instanceof CancelledFailure)) return [];
    return (await handle.query<Progress>('progress')).compensations ?? [];
  }
}
