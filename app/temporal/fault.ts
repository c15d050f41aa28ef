import {
  ApplicationFailure,
  isGrpcServiceError,
  QueryNotRegisteredError,
  ServiceError,
  WorkflowFailedError,
  WorkflowNotFoundError,
} from '@temporalio/client';
import { SMALLER } from '../../core/definition/weight.js';
import { type ErrorDetails, inputError, messageOf, ProvisioningError, unreachableError } from '../../core/errors.js';

/** Translates an error of Temporal for the caller: the operation does not exist, or the engine does not answer. */
export function translateFault(error: unknown, on: string, thing: 'operation' | 'batch' = 'operation'): Error {
  // Such as a payload that cannot be decrypted, or a worker that is not there.
  if (error instanceof ProvisioningError) return error;
  if (error instanceof WorkflowNotFoundError)
    return inputError(
      {
        code: 'unknown-operation',
        what: `find the ${thing}`,
        on,
        why: 'no such id exists',
        hint: `provisioning ${thing === 'batch' ? 'batch' : 'workflow'} list`,
      },
      { cause: error },
    );
  if (error instanceof QueryNotRegisteredError)
    return inputError(
      { code: 'unknown-operation', what: 'ask the operation', on, why: 'it is not an operation of this platform' },
      { cause: error },
    );
  const { why, details } = causeOf(error);
  if (details) return new ProvisioningError(details, { cause: error });
  // Temporal's own limits, which apply below the platform's limits if payloads are not encrypted: 2 MiB a payload, 4
  // MiB a message.
  if (/exceeds (size )?limit|larger than max|message too large/i.test(why))
    return inputError({ code: 'too-large', what: `submit or ask the ${thing}`, on, why, hint: SMALLER }, { cause: error });
  return unreachableError(
    { code: 'engine-not-answering', what: 'ask the engine', on, why, hint: 'provisioning status' },
    { cause: error },
  );
}

/** Returns why a workflow failed: the error itself says only that it did. */
function causeOf(error: unknown): { why: string; details?: ErrorDetails } {
  let last = error;
  while (last instanceof Error) {
    const details = last instanceof ApplicationFailure ? (last.details?.[0] as ErrorDetails | undefined) : undefined;
    if (details) return { why: details.why, details };
    if (!(error instanceof WorkflowFailedError && last.cause)) break;
    last = last.cause;
  }
  const said = error instanceof ServiceError && isGrpcServiceError(error.cause) ? `: ${error.cause.message}` : '';
  return { why: `${messageOf(last)}${said}` };
}
