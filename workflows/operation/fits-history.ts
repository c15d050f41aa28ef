import { patched } from '@temporalio/workflow';
import { inputError } from '../../core/errors.js';
import { eventsOf, MOST_EVENTS } from '../../core/operation/history-size.js';
import type { Asked, Knowing, Resulting } from './operation.js';
import { policyOf } from './outcome.js';

/**
 * Refuses, before anything is changed, what would not fit into the history of one operation: Temporal's server would
 * terminate it in the middle of its work, with nothing rolled back.
 *
 * @throws inputError `too-large`
 */
export function refuseTooLarge({ request, inventory, progress: { plan } }: Asked & Knowing & Resulting): void {
  const looked = Object.keys(inventory.servers).length;
  const isRolledBack = policyOf(request, inventory.definition) === 'rollback';
  const events = eventsOf(plan, looked, isRolledBack);
  // What a former version began goes on as it would have.
  if (events <= MOST_EVENTS || !patched('refuse-too-large')) return;
  const services = new Set(plan.flatMap(({ on, taskserv }) => (taskserv ? [`${on}/${taskserv}`] : []))).size;
  const machines = new Set(plan.flatMap(({ on, machine }) => (machine ? [on] : []))).size;
  const things = `${machines} machines and ${services} services`;
  throw inputError({
    code: 'too-large',
    what: 'begin the operation',
    on: request.infra,
    why: `to change ${things}${isRolledBack ? ', and to roll that back,' : ''} takes about ${events} events of history; one operation has ${MOST_EVENTS}`,
    hint: 'divide it: some taskservs or servers at a time, with `taskserv` and `server` commands or a batch',
  });
}
