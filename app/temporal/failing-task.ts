import type { WorkflowExecutionInfo } from '@temporalio/client';

/** Temporal's own search attribute of workflows whose tasks have failed five times in a row (its servers from 1.30 on). */
const REPORTED = 'TemporalReportedProblems';
const FAILED = 'category=WorkflowTaskFailed';
const CAUSE = 'cause=WorkflowTaskFailedCause';

/** The condition of all whose tasks fail again and again. */
export const FAILING_CONDITION = `${REPORTED} IN ('${FAILED}')`;

/**
 * Why the tasks of a workflow fail again and again, in Temporal's words, such as `NonDeterministicError`; undefined
 * where they do not. It answers nobody then, and goes on once a task of it succeeds.
 */
export function findFailingTask({ searchAttributes }: Pick<WorkflowExecutionInfo, 'searchAttributes'>): string | undefined {
  const reported = (searchAttributes?.[REPORTED] ?? []) as unknown[];
  if (!reported.includes(FAILED)) return undefined;
  const cause = reported.map(String).find((one) => one.startsWith(CAUSE));
  return cause?.slice(CAUSE.length) || 'unknown cause';
}
