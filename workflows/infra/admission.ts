import { type Claim, listClaims, resourceOf } from '../../core/infra/claims.js';
import type { Inventory } from '../../core/infra/inventory.js';
import type { GrantQuery } from '../../core/infra/lock.js';
import type { Holder, LockRequest, Waiter } from '../../core/operation/operation.js';
import { type Claimant, isBefore, LockTable } from './lock-table.js';
import { QueueOrder } from './queue-order.js';

/** A request in the queue, with the place that it keeps. */
export interface QueuedRequest extends LockRequest {
  /** ISO time. */
  since: string;
  place: [rank: number, arrival: number];
}

export interface AdmissionState {
  /** With what they claimed when they were admitted: the inventory has changed since. */
  holders: (Holder & { claims: Claim[] })[];
  waiters: QueuedRequest[];
  nextGrant: number;
  nextArrival: number;
}

/** Operations that came into the queue, and those that left it or gave their locks back. */
export interface AdmissionNews {
  came: string[];
  left: string[];
}

interface Entry extends Claimant {
  request: LockRequest;
  since: string;
  place: [number, number];
  /** Set once it is admitted. */
  grant?: number;
}

/** A waiter names at most so many of those it waits for. */
const NAMED = 5;

/** Operations that may work, and those that wait for them. Pure: callers pass the time and the inventory. */
export class Admission {
  readonly #table = new LockTable<Entry>();
  readonly #order = new QueueOrder();
  readonly #entries = new Map<string, Entry>();
  readonly #byGrant = new Map<number, Entry>();
  #candidates = new Set<Entry>();
  #nextGrant = 1;
  #nextArrival = 1;
  #news: AdmissionNews = { came: [], left: [] };
  readonly #inventory: () => Inventory;

  constructor(inventory: () => Inventory, state?: AdmissionState) {
    this.#inventory = inventory;
    if (!state) return;
    for (const { grant, since, claims, ...request } of state.holders) {
      const entry: Entry = { request, since, place: [0, grant], claims, grant };
      this.#entries.set(request.operation, entry);
      this.#byGrant.set(grant, entry);
      this.#table.hold(entry);
    }
    for (const { since, place, ...request } of state.waiters) {
      this.#order.resume(request, place[0]);
      this.#queue({ request, since, place, claims: listClaims(request, inventory()) });
    }
    this.#nextGrant = state.nextGrant;
    this.#nextArrival = state.nextArrival;
  }

  /** Puts a request into the queue; one that is known already changes nothing. */
  ask(request: LockRequest, now: number): void {
    if (this.#entries.has(request.operation)) return;
    const place: Entry['place'] = [this.#order.enter(request, now), this.#nextArrival++];
    this.#queue({ request, since: isoOf(now), place, claims: listClaims(request, this.#inventory()) });
    this.#news.came.push(request.operation);
  }

  /** Admits requests without a conflict with an earlier one, in the order of the queue, at most so many. */
  admit(now: number, limit = Number.POSITIVE_INFINITY): Holder[] {
    if (this.#candidates.size === 0) return [];
    const admitted: Holder[] = [];
    const candidates = [...this.#candidates].sort((a, b) => (isBefore(a, b) ? -1 : 1));
    this.#candidates = new Set();
    for (const entry of candidates) {
      if (admitted.length >= limit) this.#candidates.add(entry);
      else if (!this.#table.isBlocked(entry)) admitted.push(this.#admit(entry, now));
    }
    return admitted;
  }

  /** Numbers grants from here on, where none was given yet. */
  grantFrom(first: number): void {
    if (this.#byGrant.size === 0) this.#nextGrant = Math.max(this.#nextGrant, first);
  }

  /** Holder of a grant. Undefined if the grant ended or was revoked: such operations record nothing any more. */
  holding(grant: number): Holder | undefined {
    const entry = this.#byGrant.get(grant);
    return entry && holderOf(entry);
  }

  /** Whether this operation holds this grant; without one, whether it holds one or waits. */
  holds({ operation, grant }: GrantQuery): boolean {
    return grant === undefined ? this.#entries.has(operation) : this.holding(grant)?.operation === operation;
  }

  release(grant: number): void {
    const entry = this.#byGrant.get(grant);
    if (entry) this.#drop(entry);
  }

  /** Drops operations that have ended without saying so. */
  forget(operations: readonly string[]): void {
    for (const operation of operations) {
      const entry = this.#entries.get(operation);
      if (entry) this.#drop(entry);
    }
  }

  /** The inventory has changed in what claims follow from: judges all that wait again. */
  judgeAnew(): void {
    for (const entry of this.#waiting()) {
      this.#table.unwait(entry);
      entry.claims = listClaims(entry.request, this.#inventory());
      this.#table.wait(entry);
      this.#candidates.add(entry);
    }
  }

  get size(): number {
    return this.#entries.size;
  }

  get held(): number {
    return this.#byGrant.size;
  }

  /** Those at work, in the order in which they were admitted. */
  holders(limit = Number.POSITIVE_INFINITY): Holder[] {
    return firstOf(this.#byGrant.values(), limit).map(holderOf);
  }

  /** Those in the queue, in its order, each with whom it waits for. */
  waiters(limit = Number.POSITIVE_INFINITY): Waiter[] {
    return this.#waiting()
      .sort((a, b) => (isBefore(a, b) ? -1 : 1))
      .slice(0, limit)
      .map((entry) => this.#waiterOf(entry));
  }

  /** One at work; undefined when it is not admitted. */
  holder(operation: string): Holder | undefined {
    const entry = this.#entries.get(operation);
    return entry?.grant === undefined ? undefined : holderOf(entry);
  }

  /** The batch that asked for an operation, where one did. */
  batchOf(operation: string): string | undefined {
    return this.#entries.get(operation)?.request.batch;
  }

  /** One operation in the queue; undefined when it is not there. */
  waiter(operation: string): Waiter | undefined {
    const entry = this.#entries.get(operation);
    return entry && entry.grant === undefined ? this.#waiterOf(entry) : undefined;
  }

  /** Operations that others wait for, the most at the head of the queue first. */
  blocking(limit: number): string[] {
    const found = new Set<string>();
    for (const entry of this.#entries.values()) {
      if (found.size >= limit) break;
      if (entry.grant === undefined) for (const { by } of this.#table.blockers(entry, 2)) found.add(by.request.operation);
    }
    return [...found].slice(0, limit);
  }

  /** Operations to watch for an operation: itself if it holds a lock, otherwise those for which it waits. */
  concernedBy(operation: string): string[] {
    const entry = this.#entries.get(operation);
    if (!entry) return [];
    if (entry.grant !== undefined) return [operation];
    return this.#table.blockers(entry, 2).map(({ by }) => by.request.operation);
  }

  /** Operations that came and left since the last call. */
  takeNews(): AdmissionNews {
    const news = this.#news;
    this.#news = { came: [], left: [] };
    return news;
  }

  state(): AdmissionState {
    return {
      holders: [...this.#byGrant.values()].map((entry) => ({ ...holderOf(entry), claims: entry.claims })),
      waiters: this.#waiting().map(({ request, since, place }) => ({ ...request, since, place })),
      nextGrant: this.#nextGrant,
      nextArrival: this.#nextArrival,
    };
  }

  #waiting(): Entry[] {
    return [...this.#entries.values()].filter(({ grant }) => grant === undefined);
  }

  #queue(entry: Entry): void {
    this.#entries.set(entry.request.operation, entry);
    this.#table.wait(entry);
    this.#candidates.add(entry);
  }

  #admit(entry: Entry, now: number): Holder {
    this.#table.unwait(entry);
    this.#order.leave(entry.request);
    entry.grant = this.#nextGrant++;
    entry.since = isoOf(now);
    this.#byGrant.set(entry.grant, entry);
    this.#table.hold(entry);
    return holderOf(entry);
  }

  #drop(entry: Entry): void {
    this.#news.left.push(entry.request.operation);
    this.#entries.delete(entry.request.operation);
    this.#candidates.delete(entry);
    if (entry.grant === undefined) {
      this.#table.unwait(entry);
      this.#order.leave(entry.request);
    } else {
      this.#byGrant.delete(entry.grant);
      this.#table.unhold(entry);
    }
    for (const freed of this.#table.freedBy(entry.claims)) this.#candidates.add(freed);
  }

  #waiterOf(entry: Entry): Waiter {
    const blockedBy = this.#table.blockers(entry, NAMED).map(({ by, key }) => ({
      operation: by.request.operation,
      resource: resourceOf(key, entry.request, by.request),
      since: by.since,
      ...(by.grant === undefined ? { waits: true as const } : {}),
    }));
    return { ...entry.request, since: entry.since, blockedBy };
  }
}

const isoOf = (ms: number) => new Date(ms).toISOString();
const holderOf = ({ request, grant = 0, since }: Entry): Holder => ({ ...request, grant, since });

function firstOf<T>(values: Iterable<T>, limit: number): T[] {
  const found: T[] = [];
  for (const value of values) {
    if (found.length >= limit) break;
    found.push(value);
  }
  return found;
}
