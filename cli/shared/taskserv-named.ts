import { inputError } from '../../core/errors.js';
import type { LoadableTaskservs } from '../../core/registry.js';
import { didYouMean } from '../../definition/source/did-you-mean.js';

/**
 * Finds a taskserv that a command line names.
 *
 * @throws an input error `unknown-taskserv`
 */
export function taskservNamed(taskservs: LoadableTaskservs, name: string): LoadableTaskservs[string] {
  const found = Object.hasOwn(taskservs, name) ? taskservs[name] : undefined;
  if (found) return found;
  throw inputError({
    code: 'unknown-taskserv',
    what: 'find the taskserv',
    on: name,
    why: 'the platform has no taskserv with this name',
    hint: didYouMean(name, Object.keys(taskservs)),
  });
}
