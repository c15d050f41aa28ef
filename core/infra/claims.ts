import type { LockRequest, Waiter } from '../operation/operation.js';
import { hashOf, listDrains, listJoined, specOf } from './grant.js';
import type { Inventory } from './inventory.js';
import { outageWords } from './outage.js';

/** Claim of an operation on one thing: `exclusive`, or shared with operations whose claim has the same other word. */
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
 * Lists the claims of a request for the present inventory.
 *
 * A server is claimed by only one operation, also for work on one of its services: a host does one thing at a time,
 * and undoing one operation must not remove the basis of another. An existing network is shared by operations that add
 * servers to it. The operation that creates it has it exclusively, because its creation may be rolled back. Several
 * operations at once may drain a load balancer, but not while it is itself changed. Operations run in parallel only
 * with the same definition, because it determines the servers of the cluster and their endpoints.
 */
export function listClaims({ resources, needs = {} }: LockRequest, inventory: Inventory): Claim[] {
  if (resources.length === 0) return [];
  if (resources.includes('*')) return [{ key: '*', way: EXCLUSIVE }];
  const claims: Claim[] = [{ key: '*', way: SHARED }, ...resources.map((key) => ({ key, way: EXCLUSIVE }))];
  const { definition } = inventory;
  if (needs.definition) claims.push({ key: 'definition', way: `as ${needs.own ?? (definition ? hashOf(definition) : 'none')}` });
  // Shared with others that restore it, but with no operation that uses it.
  if (needs.restores !== undefined) claims.push({ key: 'definition', way: `restore ${needs.restores}` });
  for (const name of networksOf(needs, inventory))
    claims.push({ key: `network/${name}`, way: inventory.networks[name] ? SHARED : EXCLUSIVE });
  // One member after the other, whoever works on them: each may be the last that the group can do without.
  const joined = listJoined(needs, inventory);
  for (const name of joined.names) claims.push({ key: `group/${name}`, way: EXCLUSIVE });
  // A member that goes is taken out of its group on another one.
  const own = new Set(resources);
  const beside = new Set(listDrains(needs, definition));
  for (const name of joined.servers)
    if (!own.has(`server/${name}`) && !beside.has(name)) claims.push({ key: `server/${name}`, way: DRAINING });
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
