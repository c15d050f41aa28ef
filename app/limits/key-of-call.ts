import { createHash } from 'node:crypto';
import { operationId } from '../../core/operation-id.js';
import type { Principal } from '../principal.js';

/** Characters of a hash in an id. */
const SHORT = 24;

/** Returns the tenant of a principal. The owner and the group members belong to the home's only tenant. */
const tenantOf = (principal: Principal & { tenant?: string }): string => principal.tenant ?? '';

/** Returns the identity of a caller's key: equal keys of two callers differ. */
export const hashKey = (principal: Principal, key: string): string =>
  createHash('sha256')
    .update(JSON.stringify([tenantOf(principal), principal.actor, key]))
    .digest('hex');

/**
 * Returns the id of the work that a call starts, if the caller gave none. It follows from the key of the call, if
 * there is one, so that Temporal refuses a second start.
 *
 * @param seed the hash of the key
 */
export function drawOperationId(kind: string, verb: string, infra: string, seed?: string): string {
  return seed === undefined ? operationId(kind, verb, infra) : `${kind}-${verb}-${infra}-k${seed.slice(0, SHORT)}`;
}
