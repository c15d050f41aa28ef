import { QueryNotRegisteredError, WorkflowNotFoundError } from '@temporalio/client';
import { inputError, messageOf, ProvisioningError, unreachableError } from '../core/errors.js';

/** What Temporal's own error means to whoever asked: an operation that is not there, or an engine that does not answer. */
export function faultOf(error: unknown, on: string): Error {
  // Such as a payload that cannot be decrypted.
  if (error instanceof ProvisioningError) return error;
  if (error instanceof WorkflowNotFoundError)
    return inputError(
      {
        code: 'unknown-operation',
        what: 'find the operation',
        on,
        why: 'there is none of this id',
        hint: 'provisioning workflow list',
      },
      { cause: error },
    );
  if (error instanceof QueryNotRegisteredError)
    return inputError({ code: 'unknown-operation', what: 'ask the operation', on, why: 'it is not one of ours' }, { cause: error });
  return unreachableError(
    { code: 'engine-not-answering', what: 'ask the engine', on, why: messageOf(error), hint: 'provisioning status' },
    { cause: error },
  );
}
