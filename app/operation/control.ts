import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  isGrpcServiceError,
  ServiceError,
  type Client as Temporal,
  WorkflowNotFoundError,
  WorkflowUpdateFailedError,
  WorkflowUpdateRPCTimeoutOrCancelledError,
} from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { isOpen } from '../../core/engine/is-open.js';
import { inputError, messageOf, ProvisioningError, unreachableError } from '../../core/errors.js';
import type { Controller } from '../../core/operation/control.js';
import { translateFault } from '../temporal/fault.js';
import { checkKind } from '../temporal/right-kind.js';
import { isUntouched, withdraw } from '../temporal/worker-there.js';

/** It is a worker that answers; without one nobody does. In milliseconds. */
const ANSWER_WITHIN_MS = 20_000;
/** Pause before an update that was overtaken is asked again, in milliseconds. */
const AGAIN_MS = 50;
/** gRPC's code 9, of Temporal's "unexpected workflow task failure". */
const FAILED_PRECONDITION = 9;

/**
 * Sends an operation an update, which it answers at once or refuses with a reason.
 *
 * @param name of the update
 * @param what it is to do, for an error
 * @throws inputError with the code of the refusal; unreachableError `no-answer`
 */
export async function sendToOperation(
  temporal: Temporal,
  operation: string,
  name: string,
  what: string,
  input: Controller,
): Promise<void> {
  const handle = temporal.workflow.getHandle(operation);
  await checkKind(temporal, operation, 'operation', what);
  try {
    // Asked again under the same id, it is done once.
    const updateId = randomUUID();
    await answerWithin(temporal, operation, what, () => handle.executeUpdate(name, { args: [input], updateId }));
  } catch (error) {
    if (error instanceof ProvisioningError) throw error;
    if (error instanceof WorkflowUpdateFailedError) {
      const { code, why } = refusalIn(error);
      throw refused(operation, what, code, why);
    }
    const known = error instanceof WorkflowNotFoundError && (await handle.describe().catch(() => undefined));
    if (!known) throw translateFault(error, operation);
    const asks = name === 'decide' || name === 'approve';
    throw refused(operation, what, asks ? 'not-waiting' : 'not-running', 'it has ended');
  }
}

/**
 * Asks an operation to stop after the current step.
 *
 * @throws inputError `not-running`, `already-stopping`; unreachableError `no-answer`, `no-worker` where nobody
 *   takes the cancel up now: the operation then pauses, and asks
 */
export async function cancelOperation(temporal: Temporal, operation: string, by: Controller): Promise<void> {
  const unanswered = await sendToOperation(temporal, operation, 'stop', 'cancel the operation', by).then(
    () => undefined,
    (error: unknown) => {
      if (error instanceof ProvisioningError && ['no-answer', 'no-worker'].includes(error.details.code)) return error.details;
      throw error;
    },
  );
  // Of what no worker has taken up nothing is left to be handled.
  if (unanswered && (await isUntouched(temporal, operation)))
    return void (await withdraw(temporal, operation, `canceled by ${by.actor}`));
  // After a signed stop Temporal's own cancel has it end as canceled there as well; alone, which Temporal keeps for the
  // next worker, it has the operation pause and ask. It may have ended meanwhile.
  await temporal.workflow
    .getHandle(operation)
    .cancel()
    .catch(() => {});
  if (unanswered)
    throw unreachableError({
      code: unanswered.code,
      what: 'cancel the operation',
      on: operation,
      why: `${unanswered.why}; the operation will pause, and ask whether to resume, roll back or keep`,
      hint: `provisioning up, then provisioning workflow status ${operation}`,
    });
}

/**
 * Waits for a worker's answer to an update, for as long as one may take.
 *
 * @throws unreachableError `no-answer`
 */
export async function answerWithin<T>(temporal: Temporal, on: string, what: string, ask: () => Promise<T>): Promise<T> {
  for (const until = Date.now() + ANSWER_WITHIN_MS; ; await sleep(AGAIN_MS)) {
    try {
      return await temporal.withDeadline(until, ask);
    } catch (error) {
      if (Date.now() < until && (isOvertaken(error) || (await goesOn(temporal, on, error)))) continue;
      if (!(error instanceof WorkflowUpdateRPCTimeoutOrCancelledError)) throw error;
      const why = `no worker answered within ${ANSWER_WITHIN_MS / 1000} s`;
      throw unreachableError({ code: 'no-answer', what, on, why, hint: 'provisioning status' });
    }
  }
}

/**
 * News that come while a workflow's turn is computed may undo it, and Temporal gives up the update that was
 * part of it: it never reached the workflow, and is asked again. In the first tenth of a second of an operation
 * one in seven was lost so.
 */
const isOvertaken = (error: unknown): boolean =>
  error instanceof ServiceError && isGrpcServiceError(error.cause) && error.cause.code === FAILED_PRECONDITION;

/** Whether a run that is said not to be there has only handed on to the next, which takes what it had not taken. */
async function goesOn(temporal: Temporal, workflow: string, error: unknown): Promise<boolean> {
  if (!(error instanceof WorkflowNotFoundError)) return false;
  const described = await temporal.workflow
    .getHandle(workflow)
    .describe()
    .catch(() => undefined);
  return described !== undefined && isOpen(described.status.name);
}

/** With which code and words a workflow refused an update. */
export function refusalIn(error: WorkflowUpdateFailedError): { code: string; why: string } {
  const { cause } = error;
  const code = cause instanceof ApplicationFailure && cause.type ? cause.type : 'not-waiting';
  return { code, why: messageOf(cause ?? error) };
}

const refused = (operation: string, what: string, code: string, why: string) =>
  inputError({ code, what, on: operation, why, hint: `provisioning workflow status ${operation}` });
