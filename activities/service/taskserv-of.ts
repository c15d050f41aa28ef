import { inputError } from '../../core/errors.js';
import { taskservNamed } from '../../core/taskserv/instances.js';
import type { AnyTaskserv } from '../../core/taskserv/taskserv.js';

/**
 * Finds a taskserv by name.
 *
 * @param taskservs the platform's by name, those of workspaces by the address of their code (`own-modules.ts`)
 * @throws inputError `unknown-taskserv`
 */
export function findTaskserv(taskservs: Record<string, AnyTaskserv>, name: string, module?: string): AnyTaskserv {
  const found = module === undefined ? taskservNamed(taskservs, name) : taskservs[module];
  if (!found)
    throw inputError({
      code: 'unknown-taskserv',
      what: 'plan the taskserv',
      on: name,
      why: 'this worker knows no such taskserv',
      hint: 'if the worker has another version, `provisioning up` replaces it',
    });
  return found;
}
