import { inputError } from '../../core/errors.js';
import { didYouMean } from '../../definition/source/did-you-mean.js';
import type { Home } from '../../home/home.js';
import { allRegistered, findRegisteredWorkspace, type RegisteredWorkspace } from '../../home/workspaces/registry.js';

/** @throws inputError `unknown-workspace` */
export function requireRegisteredWorkspace(home: Home, name: string): RegisteredWorkspace {
  const found = findRegisteredWorkspace(home, name);
  if (found) return found;
  const known = allRegistered(home).map((one) => one.name);
  throw inputError({
    code: 'unknown-workspace',
    what: 'find the workspace',
    on: name,
    why: 'this machine has no registered workspace with this name',
    hint: didYouMean(name, known) ?? 'provisioning workspace list shows registered workspaces',
  });
}
