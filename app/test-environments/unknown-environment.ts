import { inputError } from '../../core/errors.js';
import { didYouMean } from '../../definition/source/did-you-mean.js';

/**
 * Creates the error for an unknown test environment.
 *
 * @param known names of existing ones
 */
export function unknownEnvironment(name: string, known: readonly string[]) {
  const hint = didYouMean(name, known) ?? 'provisioning test env list';
  const why = 'the workspace has no test environment with this name';
  return inputError({ code: 'unknown-environment', what: 'find the test environment', on: name, why, hint });
}
