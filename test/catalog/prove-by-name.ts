import type { TestEngine } from '../support/engine.js';
import { proveGroup } from './groups/prove-group.js';
import { PROOFS } from './proofs/index.js';
import { type Proven, prove } from './prove.js';
import { groupOf, hashOf } from './table.js';

/**
 * Proves a service, or a service as a group.
 *
 * @param name as in `nats` or `nats as a group`
 * @returns undefined if no proof is written. `isEdited`: the taskserv was changed meanwhile, so what was proven is unknown
 */
export async function proveByName(
  engine: TestEngine,
  name: string,
  distribution: string,
): Promise<(Proven & { isEdited: boolean }) | undefined> {
  const before = hashOf(name, distribution);
  const [group, proof] = [groupOf(name), PROOFS[name]];
  const proven = group
    ? await proveGroup(engine, name, group, distribution)
    : proof && (await prove(engine, name, proof, distribution));
  return proven && { ...proven, isEdited: hashOf(name, distribution) !== before };
}
