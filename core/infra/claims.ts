import type { LockRequest, Waiter } from '../operation/operation.js';
import { hashOf, listDrains, specOf } from './grant.js';
import type { Inventory } from './inventory.js';
import { outageWords } from './outage.js';

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
const DRAINING = 'draining';

export const compatible = (one: string, other: string): boolean => one === other && one !== EXCLUSIVE;

/**
 * What a request claims, as things are now.
 *
 * A server is claimed for one operation alone, also for work on one of its
 * services: a host does one thing at a time, and undoing one thing there
 * must not take away what another has built upon. A network is shared by those
 * that put servers into it once it exists; who makes it has it alone, since its
 * making may be rolled back. A load balancer is told by several at once to leave
 * their servers out, and not while it is itself worked on. Operations go side by side only where they go by
 * the same definition: it says who belongs to the cluster and what they offer.
 */
export function listClaims({ resources, needs = {} }: LockRequest, inventory: Inventory): Claim[] {
  if (resources.length === 0) return [];
  if (resources.includes('*')) return [{ key: '*', way: EXCLUSIVE }];
  const claims: Claim[] = [{ key: '*', way: SHARED }, ...resources.map((key) => ({ key, way: EXCLUSIVE }))];
  const { definition } = inventory;
  if (needs.definition) claims.push({ key: 'definition', way: `as ${needs.own ?? (definition ? hashOf(definition) : 'none')}` });
  // Beside others that restore it, and nobody who goes by one.
  if (needs.restores !== undefined) claims.push({ key: 'definition', way: `restore ${needs.restores}` });
  for (const name of networksOf(needs, inventory))
    claims.push({ key: `network/${name}`, way: inventory.networks[name] ? SHARED : EXCLUSIVE });
  for (const name of listDrains(needs, definition)) claims.push({ key: `server/${name}`, way: DRAINING });
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

/** For what an operation waits whose infra's entity was ended from outside. */
export const describeEndedEntity = (infra: string): string =>
  `waits for the infra's workflow, which has ended: provisioning infra recover ${infra}`;

/** For what a waiter waits: `waits for server db-1, held by … since …`. Without one, its infra's entity has yet to answer. */
export function waitWords(waiter: Waiter | undefined): string {
  if (!waiter) return "waits for the infra's queue to take it in";
  if (waiter.outage) return outageWords(waiter.outage);
  const [first, ...others] = waiter.blockedBy;
  if (!first) return 'waits to be admitted';
  const more = others.length > 0 ? ` (and ${others.length === 4 ? 'at least ' : ''}${others.length} more)` : '';
  const by = first.waits
    ? `, for which ${first.operation} waits before it since ${first.since}`
    : `, held by ${first.operation} since ${first.since}`;
  return `waits for ${resourceWords(first.resource)}${by}${more}`;
}
