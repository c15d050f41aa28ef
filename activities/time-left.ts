import { Context } from '@temporalio/activity';

/** Milliseconds that are kept for telling what did not answer: Temporal itself only says that the time was over. */
const TO_TELL_MS = 1_500;

const begins = new WeakMap<object, number>();

/** Notes that the activity begins here: what is left of its time counts by this machine's clock. */
export function noteBegin(context: Context = Context.current()): void {
  begins.set(context, Date.now());
}

/**
 * Milliseconds that the current activity has left, less what it takes to say what did not
 * answer: the smaller of what this attempt and what all attempts together may take.
 * At least a second; undefined where neither is limited.
 */
export function timeLeft(context: Context = Context.current()): number | undefined {
  const { startToCloseTimeoutMs, scheduleToCloseTimeoutMs, scheduledTimestampMs, currentAttemptScheduledTimestampMs } =
    context.info;
  const began = begins.get(context) ?? Date.now();
  const since = Date.now() - began;
  // Both by the server's clock, which may differ from ours.
  const before = currentAttemptScheduledTimestampMs - scheduledTimestampMs;
  const limits = [
    startToCloseTimeoutMs > 0 ? startToCloseTimeoutMs - since : Number.POSITIVE_INFINITY,
    scheduleToCloseTimeoutMs > 0 ? scheduleToCloseTimeoutMs - before - since : Number.POSITIVE_INFINITY,
  ];
  const left = Math.min(...limits);
  return Number.isFinite(left) ? Math.max(1_000, left - TO_TELL_MS) : undefined;
}
