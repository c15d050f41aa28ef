import { inputError } from '../../core/errors.js';
import type { TaskservRegistry } from '../../core/registry.js';
import { didYouMean } from '../../definition/source/did-you-mean.js';

/** What is known of a taskserv that a command line names. @throws an input error `unknown-taskserv` */
export function taskservNamed(taskservs: TaskservRegistry, name: string): TaskservRegistry[string] {
  const found = Object.hasOwn(taskservs, name) ? taskservs[name] : undefined;
  if (found) return found;
  throw inputError({
    code: 'unknown-taskserv',
    what: 'find the taskserv',
    on: name,
    why: 'there is none of this name',
    hint: didYouMean(name, Object.keys(taskservs)),
  });
}
