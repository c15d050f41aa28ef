import type { WorkflowExecutionDescription } from '@temporalio/client';

type Raw = Pick<WorkflowExecutionDescription['raw'], 'pendingActivities' | 'pendingWorkflowTask'>;
type Time = { seconds?: unknown; nanos?: number | null } | null | undefined;

/** `SCHEDULED` in Temporal's API, for activities and workflow tasks. */
const SCHEDULED = 1;
/** Time within which an available worker takes a task, unless it is busy, in milliseconds. */
const SOON_MS = 5_000;

/**
 * Returns since when a part of a workflow waits for a worker. Undefined if all parts run, or wait for their next
 * attempt.
 *
 * @param now milliseconds since 1970, by the clock of the server
 */
export function waitsForWorkerSince({ pendingActivities, pendingWorkflowTask }: Raw, now: number): Date | undefined {
  const due = [
    ...(pendingWorkflowTask?.state === SCHEDULED ? [msOf(pendingWorkflowTask.scheduledTime)] : []),
    ...(pendingActivities ?? []).flatMap(({ state, nextAttemptScheduleTime, scheduledTime }) =>
      state === SCHEDULED ? [msOf(nextAttemptScheduleTime) ?? msOf(scheduledTime)] : [],
    ),
  ].filter((at) => at !== undefined);
  const first = Math.min(...due);
  return now - first > SOON_MS ? new Date(first) : undefined;
}

function msOf(time: Time): number | undefined {
  const seconds = Number(time?.seconds ?? 0);
  return seconds > 0 ? seconds * 1_000 + (time?.nanos ?? 0) / 1e6 : undefined;
}
