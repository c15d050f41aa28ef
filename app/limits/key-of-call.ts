import { createHash } from 'node:crypto';
import { operationId } from '../../core/operation-id.js';
import type { Principal } from '../principal.js';

/** Characters of a hash in an id. */
const SHORT = 24;

/** The tenant of a principal; the owner of a home and members of its group are of its one tenant. */
const tenantOf = (principal: Principal & { tenant?: string }): string => principal.tenant ?? '';

/** What a key of a caller is known by: the keys of two callers differ. */
export const hashKey = (principal: Principal, key: string): string =>
  createHash('sha256')
    .update(JSON.stringify([tenantOf(principal), principal.actor, key]))
    .digest('hex');

/**
 * The id of what a call starts whose caller gave it none. It follows from the key of the call, if it has one, so that Temporal
 * refuses the second start.
 *
 * @param seed the hash of the key
 */
export function drawOperationId(kind: string, verb: string, infra: string, seed?: string): string {
  return seed === undefined ? operationId(kind, verb, infra) : `${kind}-${verb}-${infra}-k${seed.slice(0, SHORT)}`;
}
