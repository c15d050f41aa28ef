import { ActivityFailure, ApplicationFailure, TimeoutFailure } from '@temporalio/workflow';
import type { By } from '../core/control.js';
import { type ErrorDetails, messageOf, ProvisioningError } from '../core/errors.js';
import type { Failure } from '../core/operation.js';

/** An operation that stops: what failed, and what the person decided about it where one was asked. */
export class OperationStopped extends Error {
  override readonly name = 'OperationStopped';
  readonly failure: Failure;
  readonly decision?: 'rollback' | 'keep';
  constructor(failure: Failure, decision?: 'rollback' | 'keep') {
    super(failure.why);
    this.failure = failure;
    this.decision = decision;
  }
}

/** What is done, and on what: a server, `server/taskserv`, `network/NAME`. */
export interface Place {
  step: string;
  on: string;
}

/** Work that was given up by force: whether it took effect is not known. */
export class GivenUp extends Error {
  override readonly name = 'GivenUp';
  readonly failure: Failure;
  constructor(at: Place, { actor, why }: By) {
    super(`given up by ${actor}${why ? `: ${why}` : ''}`);
    this.failure = { ...at, why: this.message, code: 'given-up', exitCode: 1 };
  }
}

/** The operation goes on with other input: what was decided so far is decided anew. */
export class InputChanged extends Error {
  override readonly name = 'InputChanged';
}

/** What ends a workflow that is no operation, so that whoever asked is told. */
export const refused = (details: Omit<ErrorDetails, 'blame'>): ApplicationFailure =>
  ApplicationFailure.create({
    message: [details.what, details.on, details.why].filter(Boolean).join(': '),
    type: details.code,
    nonRetryable: true,
    details: [{ ...details, blame: 'user' } satisfies ErrorDetails],
  });

/** What a person is told of an error: the step, on what, why, and a remedy where one is known. */
export function describeFailure(error: unknown, at: Place): Failure {
  if (error instanceof OperationStopped || error instanceof GivenUp) return error.failure;
  const details = detailsOf(error);
  if (!details) {
    const cause = error instanceof ActivityFailure ? error.cause : error;
    // An attempt was still under way when the time allowed was over: what it spoke to does not answer.
    if (cause instanceof TimeoutFailure) {
      return { ...at, why: `no answer within the time allowed (${cause.timeoutType})`, code: 'timed-out', exitCode: 3 };
    }
    return { ...at, why: messageOf(cause ?? error), code: 'unexpected', exitCode: 1 };
  }
  const { code, blame, what, on, why, hint } = details;
  const exitCode = code === 'step-failed' ? 1 : blame === 'user' ? 2 : blame === 'weather' ? 3 : 1;
  return {
    step: code === 'step-failed' ? what : at.step,
    on: on ?? at.on,
    why: code === 'step-failed' ? why : `${what}: ${why}`,
    hint,
    code,
    exitCode,
  };
}

function detailsOf(error: unknown): ErrorDetails | undefined {
  if (error instanceof ProvisioningError) return error.details;
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof ApplicationFailure && cause.details?.[0]) return cause.details[0] as ErrorDetails;
  }
  return undefined;
}
