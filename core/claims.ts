import { balancersOf, hashOf, specOf } from './grant.js';
import type { Inventory } from './inventory.js';
import type { LockRequest } from './operation.js';

/**
 * One thing that an operation needs to itself (`exclusive`), or beside others
 * that need it in the very same way: any other word is such a way.
 */
export interface Claim {
  /** `*` is the whole infra, of which every other claim takes a part. */
  key: string;
  way: string;
}

const EXCLUSIVE = 'exclusive';
const SHARED = 'shared';

export const compatible = (one: string, other: string): boolean => one === other && one !== EXCLUSIVE;

/**
 * What a request claims, as things are now.
 *
 * A server is claimed for one operation alone, also for work on one of its
 * services: a host does one thing at a time, and taking one thing back there
 * must not take away what another has built upon. A network is shared by those
 * that put servers into it once it exists; who makes it has it alone, since its
 * making may be taken back. Operations go side by side only where they go by
 * the same definition: it says who belongs to the cluster and what they offer.
 */
export function claimsOf({ resources, needs = {} }: LockRequest, inventory: Inventory): Claim[] {
  if (resources.length === 0) return [];
  if (resources.includes('*')) return [{ key: '*', way: EXCLUSIVE }];
  const claims: Claim[] = [{ key: '*', way: SHARED }, ...resources.map((key) => ({ key, way: EXCLUSIVE }))];
  const { definition } = inventory;
  if (needs.definition) claims.push({ key: 'definition', way: `as ${needs.own ?? (definition ? hashOf(definition) : 'none')}` });
  // What stands in front is used by all that are taken out of service there, and must not be changed meanwhile.
  if (needs.definition && definition)
    for (const { name } of balancersOf(definition))
      if (!resources.includes(`server/${name}`)) claims.push({ key: `server/${name}`, way: 'draining' });
  for (const name of networksOf(needs, inventory))
    claims.push({ key: `network/${name}`, way: inventory.networks[name] ? SHARED : EXCLUSIVE });
  return claims;
}

function networksOf(
  { networks, servers, taskservs, peers, definition: goesBy }: NonNullable<LockRequest['needs']>,
  { definition }: Inventory,
): string[] {
  if (networks) return networks;
  if (!definition || !goesBy || peers || taskservs) return [];
  const specs = (servers ?? []).flatMap((name) => specOf(definition, name) ?? []);
  return [...new Set(specs.filter(({ host }) => !host).map(({ network }) => network))];
}

/** Whether what a change of the inventory changes can change claims. */
export const touchesClaims = (change: string): boolean =>
  change === 'definition' || change === 'network' || change === 'network-gone';

/** On what two requests clash, given the key: the more telling of their resources. */
export function resourceOf(key: string, one: LockRequest, other: LockRequest): string {
  if (key !== '*') return key;
  const part = [...one.resources, ...other.resources].find((resource) => resource !== '*');
  return part ?? '*';
}

/** A resource in words: `server db-1`. */
export function resourceWords(resource: string): string {
  if (resource === '*') return 'the whole infra';
  return resource === 'definition' ? 'the definition' : resource.replace('/', ' ');
}
