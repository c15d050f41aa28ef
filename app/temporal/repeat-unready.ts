import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Client,
  isGrpcServiceError,
  ServiceError,
  type WorkflowClientInterceptor,
  WorkflowNotFoundError,
} from '@temporalio/client';
import { isOpen } from '../../core/engine/is-open.js';
import { findFailingTask } from './failing-task.js';

/** gRPC's number of FAILED_PRECONDITION: the SDK does not repeat it. */
const FAILED_PRECONDITION = 9;
/**
 * Temporal's messages for a workflow that cannot answer a query at the moment. Three of its tasks in a row have failed
 * or got lost, its first task is not scheduled, or the server has not loaded it. Full or cleared buffers of queries
 * are UNAVAILABLE, which the SDK repeats itself.
 */
const UNREADY = /workflow task in failed state|workflow task is not scheduled yet|state is not ready to handle/i;
/** Pauses before the query is repeated, in milliseconds. A lost task is dispatched again after ten seconds. */
const PAUSES_MS = [200, 400, 800, 1_600, 2_500, 2_500, 2_500];

/** Returns whether a query was refused because the workflow cannot answer at the moment. */
export const isUnready = (error: unknown): boolean =>
  error instanceof ServiceError &&
  isGrpcServiceError(error.cause) &&
  error.cause.code === FAILED_PRECONDITION &&
  UNREADY.test(`${error.cause.details} ${error.cause.message}`);

/**
 * Repeats queries that are refused for the moment, for some ten seconds.
 *
 * @param isForGood whether a workflow will not answer later either
 * @param pausesMs before each repetition, in milliseconds
 */
export const repeatUnready = (
  isForGood: (workflow: { workflowId?: string | null; runId?: string | null }) => Promise<boolean>,
  pausesMs: readonly number[] = PAUSES_MS,
): WorkflowClientInterceptor => ({
  async query(input, next) {
    for (const pause of pausesMs) {
      try {
        return await next(input);
      } catch (error) {
        if (!isUnready(error) || (await isForGood(input.workflowExecution))) throw error;
      }
      await sleep(pause);
    }
    return next(input);
  },
});

/** Returns whether a workflow has ended, or its tasks fail repeatedly: then it answers no query. */
export async function isMute(
  { workflow }: Pick<Client, 'workflow'>,
  { workflowId, runId }: { workflowId?: string | null; runId?: string | null },
): Promise<boolean> {
  try {
    const described = await workflow.getHandle(workflowId ?? '', runId ?? undefined).describe();
    return !isOpen(described.status.name) || findFailingTask(described) !== undefined;
  } catch (error) {
    // Any other error of the service may pass.
    return error instanceof WorkflowNotFoundError;
  }
}
