import { ProvisioningError, TRANSIENT, unreachableError } from '../../../core/errors.js';

/**
 * For `catch`: says that the infras which use a secret are not known if nobody answers for them.
 *
 * @throws unreachableError `usage-unknown`, or the error itself
 */
export const usageUnknown =
  (about: { what: string; on: string; hint: string }) =>
  (error: unknown): never => {
    if (!(error instanceof ProvisioningError) || error.details.blame !== TRANSIENT) throw error;
    throw unreachableError({ code: 'usage-unknown', ...about, why: error.details.why }, { cause: error });
  };
