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

/** How long the answer of a worker is waited for, in milliseconds. */
const ANSWER_WITHIN_MS = 20_000;
/** Pause before a dropped update is sent again, in milliseconds. */
const AGAIN_MS = 50;
/** gRPC's code 9, of Temporal's "unexpected workflow task failure". */
const FAILED_PRECONDITION = 9;

/**
 * Sends an operation an update, which it answers at once or refuses with a reason.
 *
 * @param name of the update
 * @param what purpose of the update, for errors
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
    // Sent again under the same id, it takes effect once.
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
 * @throws inputError `not-running`, `already-stopping`; unreachableError `no-answer`, `no-worker` if no
 *   worker accepts the cancel now: the operation pauses later, and asks
 */
export async function cancelOperation(temporal: Temporal, operation: string, by: Controller): Promise<void> {
  const unanswered = await sendToOperation(temporal, operation, 'stop', 'cancel the operation', by).then(
    () => undefined,
    (error: unknown) => {
      if (error instanceof ProvisioningError && ['no-answer', 'no-worker'].includes(error.details.code)) return error.details;
      throw error;
    },
  );
  // If no worker has started the operation, nothing is left to handle.
  if (unanswered && (await isUntouched(temporal, operation)))
    return void (await withdraw(temporal, operation, `canceled by ${by.actor}`));
  // After a signed stop, Temporal's own cancel also makes the operation end as canceled there. Without a signed stop,
  // Temporal keeps the cancel for the next worker, and the operation pauses and asks. It may have ended already.
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
 * Returns whether Temporal dropped an update. A signal that arrives during a workflow task can invalidate the task,
 * and Temporal drops the update in it. It never reached the workflow, and is sent again. In the first tenth of a
 * second one update in seven was lost that way.
 */
const isOvertaken = (error: unknown): boolean =>
  error instanceof ServiceError && isGrpcServiceError(error.cause) && error.cause.code === FAILED_PRECONDITION;

/**
 * Returns whether a run that is reported as missing has only continued as a new run, which receives the pending
 * messages.
 */
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
