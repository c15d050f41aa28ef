import type { TestEngine } from '../support/engine.js';

const ENDED = [
  'workflowExecutionCompletedEventAttributes',
  'workflowExecutionFailedEventAttributes',
  'workflowExecutionCanceledEventAttributes',
] as const;

/** Milliseconds since 1970. */
interface Moments {
  /** Times at which interrupted work resumed after the fault: attempts of activities, and the workflow's own task. */
  resumed: number[];
  /** Time of the first event that finished after the fault. */
  next?: number;
}

/**
 * Returns when an operation resumed after a fault, in milliseconds since 1970. This is the time at which the last
 * interrupted item resumed, else the end of the next activity. Undefined if the operation had nothing to do after the
 * fault.
 */
export async function wentOnAt({ temporal }: TestEngine, operation: string, fault: number): Promise<number | undefined> {
  const { events } = await temporal.workflow.getHandle(operation).fetchHistory();
  const before = new Set<number>();
  const moments: Moments = { resumed: [] };
  let lostTurn = false;
  for (const event of events ?? []) {
    const at = Number(event.eventTime?.seconds ?? 0) * 1000 + (event.eventTime?.nanos ?? 0) / 1e6;
    if (at <= fault) {
      if (event.activityTaskScheduledEventAttributes) before.add(Number(event.eventId));
      continue;
    }
    const started = event.activityTaskStartedEventAttributes;
    if (started && (started.attempt ?? 1) > 1 && before.has(Number(started.scheduledEventId))) moments.resumed.push(at);
    if (event.workflowTaskTimedOutEventAttributes) lostTurn = true;
    if (event.workflowTaskStartedEventAttributes && lostTurn) {
      moments.resumed.push(at);
      lostTurn = false;
    }
    if (event.activityTaskCompletedEventAttributes || ENDED.some((name) => event[name])) moments.next ??= at;
  }
  return moments.resumed.length > 0 ? Math.max(...moments.resumed) : moments.next;
}
