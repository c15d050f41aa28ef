import type { LockRequest } from '../../core/operation/operation.js';

/** A step of priority is worth this much waiting: what is less urgent cannot be passed by forever. Milliseconds. */
export const PRIORITY_STEP_MS = 5 * 60_000;
/** Each request counts as this much later for every one that its flow has waiting already. Milliseconds. */
export const TURN_MS = 5_000;

const DEFAULT_PRIORITY = 3;

/**
 * Order of the queue, by rank. A rank is the time of the request, five minutes later for each step of priority below
 * 1, and five seconds later for each waiting request of the same actor or batch. It never changes, so requests after
 * that time come later, and no request starves.
 */
export class QueueOrder {
  readonly #flows = new Map<string, { waiting: number; last: number }>();

  /** The rank of a request that came now; counts it as waiting. */
  enter(request: LockRequest, now: number): number {
    const { waiting, last } = this.#flows.get(flowOf(request)) ?? { waiting: 0, last: 0 };
    const priority = Math.min(5, Math.max(1, request.priority ?? DEFAULT_PRIORITY));
    const rank = Math.max(now + (priority - 1) * PRIORITY_STEP_MS + waiting * TURN_MS, last);
    this.resume(request, rank);
    return rank;
  }

  /** Counts a request as waiting that has its rank already. */
  resume(request: LockRequest, rank: number): void {
    const flow = this.#flows.get(flowOf(request)) ?? { waiting: 0, last: 0 };
    this.#flows.set(flowOf(request), { waiting: flow.waiting + 1, last: Math.max(flow.last, rank) });
  }

  /** It waits no longer. */
  leave(request: LockRequest): void {
    const key = flowOf(request);
    const flow = this.#flows.get(key);
    if (!flow) return;
    if (flow.waiting <= 1) this.#flows.delete(key);
    else this.#flows.set(key, { ...flow, waiting: flow.waiting - 1 });
  }
}

const flowOf = ({ flow, actor, priority }: LockRequest) => `${priority ?? DEFAULT_PRIORITY}/${flow ?? actor}`;
