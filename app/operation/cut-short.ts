import type { Failure, Progress } from '../../core/operation/operation.js';

/** How Temporal itself ends a workflow, which cannot say so any more. */
const CUT: Readonly<Record<string, string>> = {
  TERMINATED: 'it was terminated from outside',
  TIMED_OUT: 'its time at Temporal was up',
};

/** The error of an operation that was ended past the platform. */
export const cutFault = (operation: string, why: string): Failure => ({
  step: 'Run the operation',
  on: operation,
  why,
  code: 'terminated',
  exitCode: 1,
});

/** What an operation told last, with what Temporal knows of its end: a workflow that was terminated still says that it runs. */
export function markEnded<T extends Progress>(progress: T, how: string): T {
  const why = CUT[how];
  const stands = ['queued', 'running', 'waiting', 'paused'].includes(progress.status);
  if (!why || !stands) return progress;
  const { waiting: _, question: __, ...rest } = progress;
  return { ...(rest as T), status: 'failed', error: cutFault(progress.operation, why) };
}
