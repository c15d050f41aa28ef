import type { LockRequest } from '../operation/operation.js';
import { hashOf } from './grant.js';
import type { Inventory } from './inventory.js';
import type { ReceivedDefinition } from './lock.js';

/** Of two received definitions the one that was submitted later. */
export const chooseLater = (known: ReceivedDefinition | undefined, next: ReceivedDefinition): ReceivedDefinition =>
  known && known.submitted >= next.submitted ? known : next;

/**
 * What an operation is superseded by: the infra has received a definition that was
 * submitted after the one that the operation brings. Previews, operations without a
 * definition of their own, and those that bring the definition in force never are.
 */
export function findSuperseding(
  { operation, resources, submitted, needs }: LockRequest,
  { definition }: Pick<Inventory, 'definition'>,
  received: ReceivedDefinition | undefined,
): ReceivedDefinition | undefined {
  if (!received || submitted === undefined || needs?.own === undefined || resources.length === 0) return undefined;
  if (received.operation === operation || received.submitted <= submitted) return undefined;
  return definition && hashOf(definition) === needs.own ? undefined : received;
}
