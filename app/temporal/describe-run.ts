import type { Client as Temporal, WorkflowExecutionDescription } from '@temporalio/client';

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
 * @returns undefined if Temporal does not say: the SDK's description throws why
 */
export async function describeRun(
  { workflowService, options: { namespace } }: Pick<Temporal, 'workflowService' | 'options'>,
  workflowId: string,
): Promise<RunDescription | undefined> {
  const raw = await workflowService.describeWorkflowExecution({ namespace, execution: { workflowId } }).catch(() => undefined);
  const info = raw?.workflowExecutionInfo;
  const runId = info?.execution?.runId;
  if (!raw || !info || !runId) return undefined;
  return { runId, isRunning: info.status === RUNNING, historyLength: Number(info.historyLength ?? 0), raw };
}
