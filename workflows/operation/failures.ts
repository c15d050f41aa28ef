import { ActivityFailure, ApplicationFailure, TimeoutFailure } from '@temporalio/workflow';
import { NO_AUTHORITY } from '../../core/access/recorded-principal.js';
import { type ErrorDetails, errorText, messageOf, ProvisioningError } from '../../core/errors.js';
import { exitCodeOfError } from '../../core/exit-codes.js';
import { isLockLost } from '../../core/infra/lock.js';
import type { Controller } from '../../core/operation/control.js';
import type { Failure } from '../../core/operation/operation.js';

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

/** An action and its subject: a server, `server/taskserv`, `network/NAME`. */
export interface Place {
  step: string;
  on: string;
}

/** An attempted action, and the handling of its failure. */
export interface Attempt extends Place {
  /** As with `ask`, whatever the policy. */
  ask?: boolean;
  /** Only what is tried for as long as it may work is asked about; other failures are thrown as they are. */
  onlyTimeouts?: boolean;
  /** It may not be skipped. */
  required?: boolean;
}

/** Work that was given up by force: whether it took effect is not known. */
export class GivenUp extends Error {
  override readonly name = 'GivenUp';
  readonly failure: Failure;
  constructor(at: Place, { actor, why }: Controller) {
    super(`given up by ${actor}${why ? `: ${why}` : ''}`);
    this.failure = { ...at, why: this.message, code: 'given-up', exitCode: 1 };
  }
}

/** Work that had not begun when the operation stopped. The cause of the stop has the reason. */
export class NotBegun extends Error {
  override readonly name: string = 'NotBegun';
}

/** The operation goes on with other input: what was decided so far is decided again. */
export class InputChanged extends Error {
  override readonly name = 'InputChanged';
}

/** Failure that ends a workflow that is not an operation, for its caller. */
export const createRefusal = (details: Omit<ErrorDetails, 'blame'>): ApplicationFailure =>
  ApplicationFailure.create({
    message: errorText(details),
    type: details.code,
    nonRetryable: true,
    details: [{ ...details, blame: 'user' } satisfies ErrorDetails],
  });

/** Describes an error for a person: the step, its subject, the reason, and a suggestion if there is one. */
export function describeFailure(error: unknown, at: Place): Failure {
  if (error instanceof OperationStopped || error instanceof GivenUp) return error.failure;
  const details = detailsOf(error);
  if (!details) {
    const cause = error instanceof ActivityFailure ? error.cause : error;
    // An attempt was still under way when the time allowed was over: what it spoke to does not answer.
    if (cause instanceof TimeoutFailure) {
      return { ...at, why: whyLate(cause.timeoutType, error), code: 'timed-out', exitCode: 3 };
    }
    return { ...at, why: messageOf(cause ?? error), code: 'unexpected', exitCode: 1 };
  }
  const { code, what, on, why, hint, outOfPatience } = details;
  return {
    step: code === 'step-failed' ? what : at.step,
    on: on ?? at.on,
    why: code === 'step-failed' ? why : errorText({ code, what, why }),
    hint,
    code,
    exitCode: exitCodeOfError(details),
    ...(outOfPatience && { outOfPatience }),
  };
}

/**
 * Reports whether the operation must do nothing any more after a failure of this code: it asks no person and rolls
 * nothing back.
 */
export const isFinal = (code: string | undefined): boolean => isLockLost(code) || code === NO_AUTHORITY;

/** Reports whether a step failed on its host, or the next one could not begin, after the work began there. */
export const isStepFailed = (error: unknown): boolean => ['step-failed', 'share-expired'].includes(detailsOf(error)?.code ?? '');

/** Descriptions of activities, for people. */
const DOES: Readonly<Record<string, string>> = {
  decide: 'the look at a host',
  planServers: 'the look at the servers',
  lookAtPower: 'the look at the servers',
  createNetwork: 'the making of a network',
  createServer: 'the making of a server',
  serverReady: 'the wait for a server',
  updateServer: 'the change of a server',
  deleteServer: 'the deletion of a server',
  powerOff: 'switching a server off',
  powerOn: 'switching a server on',
  act: 'the work on a host',
  undo: 'rolling back the work on a host',
  verify: 'the check of the health',
};

function whyLate(type: string | undefined, error: unknown): string {
  const name = error instanceof ActivityFailure ? error.activityType : '';
  const what = DOES[name] ?? (name === '' ? 'it' : `the activity ${name}`);
  if (type === 'HEARTBEAT') return `${what} gave no sign of life: its worker is gone, or does not come to it`;
  if (type === 'SCHEDULE_TO_START') return `${what} was taken up by no worker within the time allowed`;
  return `${what} had no answer within the time allowed`;
}

function detailsOf(error: unknown): ErrorDetails | undefined {
  if (error instanceof ProvisioningError) return error.details;
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof ApplicationFailure && cause.details?.[0]) return cause.details[0] as ErrorDetails;
  }
  return undefined;
}
