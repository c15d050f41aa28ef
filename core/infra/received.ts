import type { LockRequest } from '../operation/operation.js';
import { hashOf } from './grant.js';
import type { Inventory } from './inventory.js';
import type { ReceivedDefinition } from './lock.js';

/** Returns the later submitted one of two received definitions. */
export const chooseLater = (known: ReceivedDefinition | undefined, next: ReceivedDefinition): ReceivedDefinition =>
  known && known.submitted >= next.submitted ? known : next;

/**
 * Finds the definition that supersedes an operation: one that the infra received and that was submitted after the
 * operation's definition. Previews, operations without an own definition, and those with the definition in force are
 * never superseded.
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
