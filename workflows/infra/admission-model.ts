import type { Definition } from '../../core/definition/definition.js';
import { addressOf } from '../../core/infra/definition-log.js';
import { hashOf } from '../../core/infra/grant.js';
import type { LockRequest } from '../../core/operation/operation.js';
import { PRIORITY_STEP_MS, TURN_MS } from './queue-order.js';

/**
 * Model for the tests of admission: the rules of locks, the queue and definitions in their simplest form, over short
 * lists. It shares no code with admission except the names of definitions.
 */

/** State of an infra that determines locks. */
interface World {
  networks: string[];
  inForce: Definition | undefined;
}

interface Waiting {
  request: LockRequest;
  rank: number;
  arrival: number;
}

interface Holding {
  request: LockRequest;
  /** As things were when it was admitted. */
  world: World;
}

interface Entry {
  definition: Definition;
  by: string[];
}

const servers = ({ resources }: LockRequest) => resources.filter((one) => one.startsWith('server/'));
const share = (one: readonly string[], other: readonly string[]) => one.some((name) => other.includes(name));

/** Definition that an operation uses, or rolls back. */
function goesBy({ needs }: LockRequest, { inForce }: World): string | undefined {
  if (needs?.restores !== undefined) return `from ${needs.restores}`;
  if (!needs?.definition) return undefined;
  return `by ${needs.own ?? (inForce ? hashOf(inForce) : 'none')}`;
}

/** Whose requests take turns. */
const flowOf = ({ priority = 3, flow, actor }: LockRequest) => `${priority}/${flow ?? actor}`;

/** Whether two may not be at work at once. */
export function clash(one: Holding, other: Holding): boolean {
  const [a, b] = [one.request, other.request];
  // An operation that only reads conflicts with none.
  if (a.resources.length === 0 || b.resources.length === 0) return false;
  // The whole infra is everything of it.
  if (a.resources.includes('*') || b.resources.includes('*')) return true;
  // A server, or a network that is taken away, is one's own.
  if (share(a.resources, b.resources)) return true;
  // Side by side only by the same definition.
  const [by, otherBy] = [goesBy(a, one.world), goesBy(b, other.world)];
  if (by !== undefined && otherBy !== undefined && by !== otherBy) return true;
  // A network is shared once it is there.
  for (const name of a.needs?.networks ?? []) {
    const isThere = one.world.networks.includes(name) && other.world.networks.includes(name);
    if (b.needs?.networks?.includes(name) && !isThere) return true;
  }
  const uses = ({ needs = {} }: LockRequest) => (needs.networks ?? []).map((name) => `network/${name}`);
  if (share(uses(a), b.resources) || share(uses(b), a.resources)) return true;
  // A balancer is not told to leave a server out while it is itself worked on.
  const told = ({ needs = {} }: LockRequest) => (needs.drains ?? []).map((name) => `server/${name}`);
  return share(told(a), servers(b)) || share(told(b), servers(a));
}

export class AdmissionModel {
  holders: Holding[] = [];
  #waiters: Waiting[] = [];
  #entries: Entry[] = [];
  #networks: string[] = [];
  #received: { operation: string; submitted: string } | undefined;
  #arrivals = 0;
  /** By flow, the rank that it was given last. */
  #last = new Map<string, number>();

  get world(): World {
    return { networks: this.#networks, inForce: this.#entries.at(-1)?.definition };
  }

  /** In the order of the queue. */
  get waiters(): LockRequest[] {
    return this.#inOrder().map(({ request }) => request);
  }

  ask(request: LockRequest, now: number): void {
    const flow = flowOf(request);
    const own = this.#waiters.filter((one) => flowOf(one.request) === flow);
    const asked = now + ((request.priority ?? 3) - 1) * PRIORITY_STEP_MS + own.length * TURN_MS;
    // Behind its own, those among them that have given up.
    const rank = Math.max(asked, own.length > 0 ? (this.#last.get(flow) ?? 0) : 0);
    this.#last.set(flow, rank);
    this.#waiters.push({ request, rank, arrival: this.#arrivals++ });
  }

  /** Admits all that may go now; answers whom, in order. */
  admit(): string[] {
    const before: Holding[] = [];
    const admitted: string[] = [];
    for (const waiting of this.#inOrder()) {
      const one = { request: waiting.request, world: this.world };
      if ([...this.holders, ...before].some((other) => clash(one, other))) before.push(one);
      else {
        this.holders.push(one);
        this.#waiters.splice(this.#waiters.indexOf(waiting), 1);
        admitted.push(waiting.request.operation);
      }
    }
    return admitted;
  }

  /** It has ended, or does not wait any more. */
  leave(operation: string): void {
    this.holders = this.holders.filter(({ request }) => request.operation !== operation);
    this.#waiters = this.#waiters.filter(({ request }) => request.operation !== operation);
  }

  /** A new run begins: it knows the ranks of those that wait. */
  continue(): void {
    this.#last = new Map();
    for (const { request, rank } of this.#inOrder()) this.#last.set(flowOf(request), rank);
  }

  network(name: string, isThere: boolean): void {
    this.#networks = [...this.#networks.filter((one) => one !== name), ...(isThere ? [name] : [])];
  }

  receive(operation: string, submitted: string): void {
    if (!this.#received || this.#received.submitted < submitted) this.#received = { operation, submitted };
  }

  apply(definition: Definition, operation: string): void {
    const last = this.#entries.at(-1);
    if (!last || addressOf(last.definition) !== addressOf(definition)) this.#entries.push({ definition, by: [operation] });
    else if (!last.by.includes(operation)) last.by.push(operation);
  }

  /** It is rolled back if no other operation has applied it. */
  undo(of: string): void {
    const entry = this.#entries.findLast(({ by }) => by.includes(of));
    if (!entry) return;
    entry.by = entry.by.filter((one) => one !== of);
    if (entry.by.length === 0) this.#entries.splice(this.#entries.indexOf(entry), 1);
  }

  /** Whether what it brings is older than what the infra has received. */
  supersedes({ operation, submitted, needs, resources }: LockRequest): boolean {
    const received = this.#received;
    if (!received || submitted === undefined || needs?.own === undefined || resources.length === 0) return false;
    const { inForce } = this.world;
    if (inForce && hashOf(inForce) === needs.own) return false;
    return received.operation !== operation && received.submitted > submitted;
  }

  #inOrder(): Waiting[] {
    return [...this.#waiters].sort((a, b) => a.rank - b.rank || a.arrival - b.arrival);
  }
}
