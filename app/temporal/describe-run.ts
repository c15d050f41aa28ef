import {
  isGrpcServiceError,
  ServiceError,
  type Client as Temporal,
  type WorkflowExecutionDescription,
  WorkflowNotFoundError,
} from '@temporalio/client';
import { rememberType } from './right-kind.js';

/** gRPC's status of a workflow that does not exist. */
const NOT_FOUND = 5;
/** `RUNNING` of Temporal's API. */
const RUNNING = 1;

/** Temporal's description of a workflow, without the SDK's decoding. */
export type RawDescription = WorkflowExecutionDescription['raw'];

/** The run of a workflow. */
export interface RunDescription {
  runId: string;
  /** False if it has ended, or was paused from outside. */
  isRunning: boolean;
  /** Events of its history. */
  historyLength: number;
  raw: RawDescription;
}

/**
 * Describes the run of a workflow. It decodes no memo and no search attributes, and so costs a third less than the description
 * of the SDK: for what is looked at each second.
 *
 * @returns undefined if Temporal's answer lacks a part
 * @throws as the SDK's description
 */
export async function describeRun(temporal: Temporal, workflowId: string): Promise<RunDescription | undefined> {
  const { namespace } = temporal.options;
  const raw = await temporal.workflowService
    .describeWorkflowExecution({ namespace, execution: { workflowId } })
    .catch((error: unknown) => {
      if (!isGrpcServiceError(error)) throw error;
      if (error.code === NOT_FOUND) throw new WorkflowNotFoundError(error.details, workflowId, undefined);
      throw new ServiceError('Failed to describe workflow', { cause: error });
    });
  const info = raw.workflowExecutionInfo;
  const runId = info?.execution?.runId;
  if (!info || !runId) return undefined;
  if (info.type?.name) rememberType(temporal, workflowId, info.type.name);
  return { runId, isRunning: info.status === RUNNING, historyLength: info.historyLength?.toNumber() ?? 0, raw };
}
