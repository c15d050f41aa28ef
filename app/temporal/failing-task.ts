import type { WorkflowExecutionInfo } from '@temporalio/client';

/** Temporal's own search attribute of workflows whose tasks have failed five times in a row (its servers from 1.30 on). */
const REPORTED = 'TemporalReportedProblems';
const FAILED = 'category=WorkflowTaskFailed';
const CAUSE = 'cause=WorkflowTaskFailedCause';

/** Condition of workflows whose tasks fail repeatedly. */
export const FAILING_CONDITION = `${REPORTED} IN ('${FAILED}')`;

/**
 * Returns the cause of a workflow's repeated task failures, in Temporal's words, such as `NonDeterministicError`;
 * undefined if they do not fail. The workflow then answers no query, and continues once one of its tasks succeeds.
 */
export function findFailingTask({ searchAttributes }: Pick<WorkflowExecutionInfo, 'searchAttributes'>): string | undefined {
  const reported = (searchAttributes?.[REPORTED] ?? []) as unknown[];
  if (!reported.includes(FAILED)) return undefined;
  const cause = reported.map(String).find((one) => one.startsWith(CAUSE));
  return cause?.slice(CAUSE.length) || 'unknown cause';
}
