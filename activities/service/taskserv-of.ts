import { inputError } from '../../core/errors.js';
import type { AnyTaskserv } from '../../core/taskserv/taskserv.js';

/** The taskserv of this name. Throws `unknown-taskserv`. */
export function taskservOf(taskservs: Record<string, AnyTaskserv>, name: string): AnyTaskserv {
  const found = taskservs[name];
  if (!found)
    throw inputError({
      code: 'unknown-taskserv',
      what: 'plan the taskserv',
      on: name,
      why: 'this worker knows no such taskserv',
      hint: 'a worker of another version? `provisioning up` replaces it',
    });
  return found;
}
