import { Context } from '@temporalio/activity';
import type { Again } from '../core/operation/operation.js';
import { awakeMs } from './awake.js';

/** Milliseconds that are kept for telling what did not answer: Temporal itself only says that the time was over. */
const TO_TELL_MS = 1_500;

/** Time of an attempt. */
interface Attempt {
  /** When it began, by the clock of `awakeMs`. */
  began: number;
  /** Time that former attempts worked, in milliseconds. */
  carriedMs: number;
  /** Time limit of all attempts together, in milliseconds. */
  patienceMs?: number;
  /** Details of its last heartbeat. */
  said?: object;
  /** Why the attempts before it failed. */
  again?: Again;
  /** Reason of the present wait. */
  wait?: Wait;
}

/** A wait for the answer of a server: by the clock of `awakeMs`, and in words. */
interface Wait {
  server: string;
  began: number;
  words: string;
}

/** Milliseconds without an answer from which on signs of life say so: most answers come sooner. */
const SILENT_MS = 10_000;

/** Failed attempts before the reason is shown: many faults pass at once. */
const TOLD_FROM = 2;

const attempts = new WeakMap<Context, Attempt>();

/** Local activities have no signs of life that are kept: what they worked in this process. One whose task is done again starts from nothing. */
const localWork = new Map<string, number>();

/**
 * Begins an attempt. The last heartbeat has the time that former attempts worked. Time without a worker does not
 * count.
 *
 * @param patienceMs time limit of all attempts together, in milliseconds; absent: no limit
 */
export function beginAttempt(context: Context, patienceMs?: number): void {
  const { isLocal, heartbeatDetails } = context.info;
  const { workedMs, again } = (heartbeatDetails ?? {}) as { workedMs?: unknown; again?: Again };
  const said = typeof workedMs === 'number' ? workedMs : 0;
  const carriedMs = isLocal ? (localWork.get(keyOf(context)) ?? 0) : said;
  attempts.set(context, { began: awakeMs(), carriedMs, ...(patienceMs !== undefined && { patienceMs }), ...(again && { again }) });
}

/** Milliseconds that this attempt and those before it have worked, the pauses between them included. */
export function measureWorkedMs(context: Context = Context.current()): number {
  const attempt = attempts.get(context);
  return attempt ? attempt.carriedMs + awakeMs() - attempt.began : 0;
}

/** Returns the time limit of all attempts together, in milliseconds. Undefined without a limit. */
export const patienceMs = (context: Context = Context.current()): number | undefined => attempts.get(context)?.patienceMs;

/**
 * Notes, for the next attempt, what was worked until it begins.
 *
 * @param pauseMs how long the pause before it is
 * @param failed why this one failed, and what it was about
 */
export function carryWork(pauseMs: number, failed: { why: string; place: object }, context: Context = Context.current()): void {
  const worked = measureWorkedMs(context) + pauseMs;
  if (context.info.isLocal) localWork.set(keyOf(context), worked);
  else
    context.heartbeat({
      ...failed.place,
      ...attempts.get(context)?.said,
      workedMs: worked,
      ...againOf(failed.why, worked, context),
    });
}

/**
 * Notes that a server is to answer. After ten seconds without an answer, signs of life say since when it is waited for
 * and until when. After failed attempts they have these to tell.
 *
 * @returns what ends the note: there is an answer
 */
export function awaitAnswer(server: string, context: Context = Context.current()): () => void {
  const attempt = attempts.get(context);
  if (!attempt || attempt.again) return () => {};
  const left = attempt.patienceMs === undefined ? undefined : attempt.patienceMs - measureWorkedMs(context);
  const until = left === undefined ? '' : `; tries until ${new Date(Date.now() + Math.max(0, left)).toISOString()}`;
  // The same words each time: who prints what has changed prints them once.
  const wait = { server, began: awakeMs(), words: `no answer from ${server} since ${new Date().toISOString()}${until}` };
  attempt.wait = wait;
  return () => {
    if (attempt.wait === wait) delete attempt.wait;
  };
}

/** Shown details of present work, with the reason of a long wait. */
function shownOf({ wait }: Attempt, said: { step?: string } | undefined): object | undefined {
  if (!wait || awakeMs() - wait.began < SILENT_MS) return said;
  return { server: wait.server, ...said, step: [said?.step ?? 'Wait for the host', wait.words].join(': '), silent: wait.words };
}

function againOf(why: string, worked: number, context: Context): { again: Again } | undefined {
  const { attempt } = context.info;
  if (attempt < TOLD_FROM) return undefined;
  const patience = patienceMs(context);
  const until = patience === undefined ? undefined : new Date(Date.now() + Math.max(0, patience - worked)).toISOString();
  return { again: { attempt, ...(until !== undefined && { until }), why: why.slice(0, 500) } };
}

/** Forgets what a local activity worked: it has ended. */
export function forgetWork(context: Context = Context.current()): void {
  localWork.delete(keyOf(context));
}

/**
 * Sends a heartbeat with the worked time.
 *
 * @param said shown details of the work; absent: the last ones
 * @param context context of the activity; given if the call may run in another one
 */
export function beat(said?: object, context: Context = Context.current()): void {
  if (context.info.isLocal) return;
  const attempt = attempts.get(context);
  if (attempt && said) attempt.said = { ...said };
  context.heartbeat({
    ...(attempt ? shownOf(attempt, said ?? attempt.said) : said),
    ...(attempt && { workedMs: measureWorkedMs(context) }),
    ...(attempt?.again && { again: attempt.again }),
  });
}

/**
 * Remaining time of the current activity in milliseconds, without the time that its error report takes: the smaller of
 * the limits of this attempt and of all attempts. At least a second. Undefined without a limit.
 */
export function timeLeft(context: Context = Context.current()): number | undefined {
  const { startToCloseTimeoutMs } = context.info;
  const { began = awakeMs(), patienceMs: patience } = attempts.get(context) ?? {};
  const limits = [
    startToCloseTimeoutMs > 0 ? startToCloseTimeoutMs - (awakeMs() - began) : Number.POSITIVE_INFINITY,
    patience === undefined ? Number.POSITIVE_INFINITY : patience - measureWorkedMs(context),
  ];
  const left = Math.min(...limits);
  return Number.isFinite(left) ? Math.max(1_000, left - TO_TELL_MS) : undefined;
}

const keyOf = ({ info: { workflowExecution, activityId } }: Context) => `${workflowExecution?.runId}/${activityId}`;
