import { ApplicationFailure } from '@temporalio/workflow';
import type { Definition } from '../../core/definition/definition.js';
import { ProvisioningError } from '../../core/errors.js';
import type { Inventory } from '../../core/infra/inventory.js';
import { resourcesOf } from '../../core/infra/lock-request.js';
import { checkRequest } from '../../core/operation/check-request.js';
import type { OperationRequest } from '../../core/operation/operation.js';
import { workScopeOf } from '../../core/operation/work-scope.js';

/** Refuses a definition that a running operation cannot go on with, before anything is touched. */
export function judgeInput(request: OperationRequest, definition: Definition, inventory: Inventory): void {
  const { infra, workspace, intent } = request;
  const refuse = (code: string, why: string) => ApplicationFailure.nonRetryable(why, code);
  /** Runs code that throws the platform's errors, and converts them to refusals. */
  const refusing = (judge: () => unknown) => {
    try {
      judge();
    } catch (error) {
      if (error instanceof ProvisioningError) throw refuse(error.details.code, error.message);
      throw error;
    }
  };
  refusing(() => checkRequest('definition', definition, { strict: false }));
  if (intent.verb !== 'ensure')
    throw refuse('no-input-taken', 'only an operation that applies a definition can continue with another one');
  if (definition.infra !== infra || definition.workspace !== workspace) {
    throw refuse('other-infra', `the definition is of infra "${definition.infra}" of workspace "${definition.workspace}"`);
  }
  // Such a one was given only a part of the definition, which could not be restored whole.
  if (!request.definition && request.kind !== 'cluster' && intent.servers)
    throw refuse('no-input-taken', 'it uses the applied definition for only some servers: apply the other definition instead');
  const changed = { ...request, definition };
  const held = resourcesOf(request);
  const missing = resourcesOf(changed).filter((resource) => !held.includes('*') && !held.includes(resource));
  if (missing.length > 0) throw refuse('other-resources', `it does not hold ${missing.join(', ')}`);
  refusing(() => workScopeOf(changed, inventory));
}
