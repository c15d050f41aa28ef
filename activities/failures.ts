import { Context } from '@temporalio/activity';
import { ApplicationFailure, CancelledFailure } from '@temporalio/common';
import { type ErrorDetails, errorText, messageOf, ProvisioningError, TRANSIENT } from '../core/errors.js';
import { noteBegin } from './time-left.js';
import { withinTime } from './within-time.js';

/** What a host's step that failed becomes: never retried by itself, a person or the policy decides. */
export function stepFailed(details: Omit<ErrorDetails, 'blame'>, transient = false): ApplicationFailure {
  return failureOf(new ProvisioningError({ ...details, blame: transient ? TRANSIENT : 'user' }));
}

/**
 * The pause before the next attempt, as the retry policy has it, a quarter shorter or
 * longer at random: what failed together does not come back together. In milliseconds.
 */
function scattered(): number | undefined {
  const { retryPolicy, attempt } = Context.current().info;
  const { initialInterval: first, maximumInterval: longest, backoffCoefficient = 2 } = retryPolicy ?? {};
  // As the server tells it to activities; none of the texts that a policy may be written with.
  if (typeof first !== 'number' || (longest !== undefined && typeof longest !== 'number')) return undefined;
  const pause = Math.min(longest ?? 100 * first, first * backoffCoefficient ** (attempt - 1));
  return Math.round(pause * (0.75 + Math.random() / 2));
}

/**
 * An error in the form that Temporal keeps: its stable code is the type, what
 * the user got wrong or we broke is not retried, a transient error is.
 */
export function failureOf(error: unknown): ApplicationFailure {
  if (error instanceof ApplicationFailure) return error;
  const details: ErrorDetails =
    error instanceof ProvisioningError
      ? error.details
      : {
          code: 'unexpected',
          blame: 'bug',
          what: 'run an activity',
          why: messageOf(error),
          hint: 'this is a defect: `provisioning logs worker` has the details',
        };
  const retryAfterMs = 'retryAfterMs' in details ? (details.retryAfterMs as number | undefined) : undefined;
  return ApplicationFailure.create({
    message: errorText(details),
    type: details.code,
    nonRetryable: details.blame !== TRANSIENT || details.final === true,
    details: [details],
    nextRetryDelay: details.blame === TRANSIENT ? (retryAfterMs ?? scattered()) : undefined,
    cause: error instanceof Error ? error : undefined,
  });
}

/** Whether a call ended because the activity was told to stop: the SDK reports that as a cancellation. */
const wasAborted = (error: unknown): boolean =>
  error instanceof Error && error.name === 'AbortError' && Context.current().cancellationSignal.aborted;

type Activity = (...args: never[]) => Promise<unknown>;

/** The same activities, their errors translated. The one place where that is done. */
export function translated<T extends Record<string, Activity>>(activities: T): T {
  const wrapped = Object.entries(activities).map(([name, activity]) => [
    name,
    async (...args: never[]) => {
      noteBegin();
      try {
        return await withinTime(name, args, () => activity(...args));
      } catch (error) {
        if (error instanceof CancelledFailure || wasAborted(error)) throw error;
        throw failureOf(error);
      }
    },
  ]);
  return Object.fromEntries(wrapped) as T;
}
