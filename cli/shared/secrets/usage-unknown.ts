import { ProvisioningError, TRANSIENT, unreachableError } from '../../../core/errors.js';

/**
 * For `catch`: reports that the users of a secret are unknown if the worker does not answer.
 *
 * @throws unreachableError `usage-unknown`, or the error itself
 */
export const usageUnknown =
  (about: { what: string; on: string; hint: string }) =>
  (error: unknown): never => {
    if (!(error instanceof ProvisioningError) || error.details.blame !== TRANSIENT) throw error;
    throw unreachableError({ code: 'usage-unknown', ...about, why: error.details.why }, { cause: error });
  };
