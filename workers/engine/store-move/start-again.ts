import { messageOf, ProvisioningError } from '../../../core/errors.js';

/**
 * Runs work for which the worker was stopped. If the work fails, the worker is started again.
 *
 * @throws the error of the work. If the worker did not start either, the error includes that reason
 */
export async function startAgainOnFailure<T>(work: () => Promise<T>, start: () => Promise<unknown>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const failed = await start().then(
      () => undefined,
      (failure: unknown) => ({ failure }),
    );
    throw failed ? addFailedStart(error, failed.failure) : error;
  }
}

function addFailedStart(error: unknown, failure: unknown): Error {
  const add = (why: string) => `${why}; the worker was not started again: ${messageOf(failure)}`;
  if (!(error instanceof ProvisioningError)) return new Error(add(messageOf(error)), { cause: error });
  const { why, hint, ...details } = error.details;
  const remedy = [hint, 'start the worker: provisioning up'].filter(Boolean).join('; ');
  return new ProvisioningError({ ...details, why: add(why), hint: remedy }, { cause: error });
}
