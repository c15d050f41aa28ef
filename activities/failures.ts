import { Context } from '@temporalio/activity';
import { isGrpcServiceError, ServiceError } from '@temporalio/client';
import { ApplicationFailure, CancelledFailure } from '@temporalio/common';
import { type ErrorDetails, errorText, messageOf, ProvisioningError, TRANSIENT } from '../core/errors.js';
import { systemError } from '../core/system-errors.js';
import type { Fence } from './fence.js';
import { hideInFailure, type MaskOf } from './hidden.js';
import { limitCallTime } from './within-time.js';
import { carryWork, forgetWork, measureWorkedMs, patienceMs } from './worked-time.js';

/** Failure type of work whose time limit passed. */
export const OUT_OF_PATIENCE = 'out-of-patience';

/** They look at hosts that are there, and change nothing. */
const LOOKS: ReadonlySet<string> = new Set(['decide', 'lookAtPower']);

/** Time for retries of an unclassified error, which may be a defect, in milliseconds. */
const UNKNOWN_MS = 2 * 60_000;

/** Creates the failure of a host's step. It is never retried automatically: a person or the policy decides. */
export function stepFailed(details: Omit<ErrorDetails, 'blame'>, transient = false): ApplicationFailure {
  return createFailure(new ProvisioningError({ ...details, blame: transient ? TRANSIENT : 'user' }));
}

/**
 * Pause before the next attempt in milliseconds: that of the retry policy, randomly up to a quarter shorter or longer.
 * So parallel failures do not retry at the same moment.
 */
function scattered(): number | undefined {
  const { retryPolicy, attempt } = Context.current().info;
  const { initialInterval: first, maximumInterval: longest, backoffCoefficient = 2 } = retryPolicy ?? {};
  // As the server tells it to activities; none of the texts that a policy may be written with.
  if (typeof first !== 'number' || (longest !== undefined && typeof longest !== 'number')) return undefined;
  const pause = Math.min(longest ?? 100 * first, first * backoffCoefficient ** (attempt - 1));
  return Math.round(pause * (0.75 + Math.random() / 2));
}

/** Answer of Temporal's service. Undefined if the error is not from it. */
function engineFault(error: unknown): string | undefined {
  if (error instanceof ServiceError)
    return `${messageOf(error)}${isGrpcServiceError(error.cause) ? `: ${error.cause.details}` : ''}`;
  return isGrpcServiceError(error) ? error.details : undefined;
}

/** Temporal's own limits: another try meets them again. */
const TOO_LARGE = /exceeds (size )?limit|larger than max|message too large/i;

/**
 * Details of an unclassified error. Only classified errors end an operation. Answers of Temporal's service are
 * transient, and unknown errors may be.
 */
function unknownDetails(error: unknown): ErrorDetails {
  const engine = engineFault(error);
  const why = engine ?? messageOf(error);
  if (TOO_LARGE.test(why)) return { code: 'too-large', blame: 'user', what: 'send a message to the engine', why };
  if (engine !== undefined) return { code: 'engine-not-answering', blame: TRANSIENT, what: 'ask the engine', why };
  const system = systemError(error, 'the worker');
  // A disk has room again, as a cloud answers again: until then it is waited for.
  if (system?.absent)
    return { ...system, blame: TRANSIENT, hint: `${system.hint?.replace(/, then run it again$/, '')}: until then it is retried` };
  const hint = 'this may be a defect: see `provisioning logs worker`';
  return { code: 'unexpected', blame: TRANSIENT, what: 'run an activity', why, hint };
}

/**
 * Converts an error to Temporal's form. The type is its stable code. Errors of the user and defects are not retried,
 * transient errors are.
 */
export function createFailure(error: unknown): ApplicationFailure {
  if (error instanceof ApplicationFailure) return error;
  const details: ErrorDetails = error instanceof ProvisioningError ? error.details : unknownDetails(error);
  return ApplicationFailure.create({
    message: errorText(details),
    type: details.outOfPatience ? OUT_OF_PATIENCE : details.code,
    nonRetryable: details.blame !== TRANSIENT || details.final === true,
    details: [details],
    nextRetryDelay: details.blame === TRANSIENT ? (details.retryAfterMs ?? scattered()) : undefined,
    cause: error instanceof Error ? error : undefined,
  });
}

/** Whether a call ended because the activity was told to stop: the SDK reports that as a cancellation. */
const wasAborted = (error: unknown): boolean =>
  error instanceof Error && error.name === 'AbortError' && Context.current().cancellationSignal.aborted;

/**
 * Returns the failure, or the end of the time limit with the last failure. The worked time is passed to the next
 * attempt.
 */
function withPatience(failure: ApplicationFailure, args: readonly unknown[]): ApplicationFailure {
  const patience = patienceMs();
  const details = failure.details?.[0] as ErrorDetails | undefined;
  // A look that was given up early is one that had no answer: `onTimeout` says what becomes of the operation.
  if (patience !== undefined && details?.final && !details.outOfPatience && LOOKS.has(Context.current().info.activityType))
    return outOfPatience(details, failure.cause);
  if (failure.nonRetryable || patience === undefined) return failure;
  const pause = typeof failure.nextRetryDelay === 'number' ? failure.nextRetryDelay : 0;
  const limit = details?.code === 'unexpected' ? Math.min(patience, UNKNOWN_MS) : patience;
  if (measureWorkedMs() + pause >= limit) return outOfPatience(details, failure.cause);
  carryWork(pause, { why: failure.message, place: placeIn(args) });
  return failure;
}

/** The server, and the service there, that an activity is about. */
function placeIn([input]: readonly unknown[]): { server?: string; taskserv?: string } {
  const { server, taskserv, spec } = (input ?? {}) as { server?: unknown; taskserv?: unknown; spec?: { name?: unknown } };
  const name = server ?? spec?.name;
  return { ...(typeof name === 'string' && { server: name }), ...(typeof taskserv === 'string' && { taskserv }) };
}

function outOfPatience(last: ErrorDetails | undefined, cause?: Error): ApplicationFailure {
  const { attempt } = Context.current().info;
  const tries = attempt === 1 ? '1 attempt' : `${attempt} attempts`;
  const known: ErrorDetails = last ?? {
    code: 'timed-out',
    blame: TRANSIENT,
    what: 'run an activity',
    why: 'the service did not answer',
  };
  const why = `${known.why} (${tries} in ${timeText(measureWorkedMs())})`;
  return createFailure(new ProvisioningError({ ...known, why, final: true, outOfPatience: true }, { cause }));
}

const timeText = (ms: number) => (ms < 120_000 ? `${Math.round(ms / 1000)} s` : `${Math.round(ms / 60_000)} min`);

type Activity = (...args: never[]) => Promise<unknown>;

/**
 * The same activities, their errors translated, and the time kept that they may work. The one place where that is done.
 *
 * @param fence throws where an attempt may not begin
 * @param maskOf what hides secrets in the errors of an activity, by its arguments
 */
export function translateFailures<T extends Record<string, Activity>>(activities: T, fence: Fence, maskOf: MaskOf): T {
  const wrapped = Object.entries(activities).map(([name, activity]) => [
    name,
    async (...args: never[]) => {
      try {
        // The attempts before it ended without a word: their time was over, or their workers were.
        if (measureWorkedMs() >= (patienceMs() ?? Number.POSITIVE_INFINITY)) throw outOfPatience(undefined);
        await fence();
        const answer = await limitCallTime(name, args, () => activity(...args));
        forgetWork();
        return answer;
      } catch (error) {
        if (error instanceof CancelledFailure || wasAborted(error)) {
          forgetWork();
          throw error;
        }
        const failure = withPatience(hideInFailure(createFailure(error), await maskOf(args)), args);
        if (failure.nonRetryable) forgetWork();
        throw failure;
      }
    },
  ]);
  return Object.fromEntries(wrapped) as T;
}
