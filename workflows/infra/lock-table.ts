import { type Claim, compatible } from '../../core/infra/claims.js';

/** Something that claims, and its place in the queue. */
export interface Claimant {
  claims: Claim[];
  /** Its place: the smaller is before the larger; the second decides between equals. */
  place: readonly [rank: number, arrival: number];
}

interface Row<T> {
  holding: Map<string, Set<T>>;
  /** By the way in which it is claimed, in the order of the queue. */
  waiting: Map<string, T[]>;
}

export const isBefore = (one: Claimant, other: Claimant): boolean =>
  one.place[0] === other.place[0] ? one.place[1] < other.place[1] : one.place[0] < other.place[0];

/** Holders and waiting claimants by resource, so unrelated ones are not visited. */
export class LockTable<T extends Claimant> {
  readonly #rows = new Map<string, Row<T>>();

  wait(one: T): void {
    for (const { key, way } of one.claims) {
      const { waiting } = this.#row(key);
      const list = waiting.get(way);
      if (list) list.splice(placeIn(list, one), 0, one);
      else waiting.set(way, [one]);
    }
  }

  unwait(one: T): void {
    for (const { key, way } of one.claims) {
      const list = this.#rows.get(key)?.waiting.get(way);
      const at = list ? placeIn(list, one) : 0;
      if (list?.[at] !== one) continue;
      list.splice(at, 1);
      if (list.length === 0) this.#rows.get(key)?.waiting.delete(way);
      this.#sweep(key);
    }
  }

  hold(one: T): void {
    for (const { key, way } of one.claims) {
      const { holding } = this.#row(key);
      const set = holding.get(way);
      if (set) set.add(one);
      else holding.set(way, new Set([one]));
    }
  }

  unhold(one: T): void {
    for (const { key, way } of one.claims) {
      const set = this.#rows.get(key)?.holding.get(way);
      set?.delete(one);
      if (set?.size === 0) this.#rows.get(key)?.holding.delete(way);
      this.#sweep(key);
    }
  }

  /** Whom a waiter waits for, holders first; at most so many, one for each thing and way. */
  blockers(one: T, limit: number): { by: T; key: string }[] {
    const found: { by: T; key: string }[] = [];
    const add = (by: T | undefined, key: string) => {
      if (by && found.length < limit && !found.some((known) => known.by === by)) found.push({ by, key });
    };
    for (const { key, way } of one.claims)
      for (const [other, set] of this.#rows.get(key)?.holding ?? [])
        if (!compatible(way, other)) for (const by of set) if (found.length < limit) add(by, key);
    for (const { key, way } of one.claims) {
      for (const [other, list] of this.#rows.get(key)?.waiting ?? []) {
        if (compatible(way, other)) continue;
        for (const by of list) {
          if (found.length >= limit || by === one || !isBefore(by, one)) break;
          add(by, key);
        }
      }
    }
    return found;
  }

  isBlocked(one: T): boolean {
    return one.claims.some(({ key, way }) => this.#isBlockedOn(one, key, way));
  }

  /** Waiters that may go on now that these claims are given up. */
  freedBy(claims: readonly Claim[]): T[] {
    return claims.flatMap(({ key, way }) => {
      const row = this.#rows.get(key);
      if (!row) return [];
      const freed: T[] = [];
      for (const [other, list] of row.waiting) {
        if (compatible(way, other)) continue;
        for (const one of list) {
          if (this.#isBlockedOn(one, key, other)) break;
          freed.push(one);
        }
      }
      return freed;
    });
  }

  #isBlockedOn(one: T, key: string, way: string): boolean {
    const row = this.#rows.get(key);
    if (!row) return false;
    for (const other of row.holding.keys()) if (!compatible(way, other)) return true;
    for (const [other, list] of row.waiting) {
      const first = list[0];
      if (first && first !== one && !compatible(way, other) && isBefore(first, one)) return true;
    }
    return false;
  }

  #row(key: string): Row<T> {
    let row = this.#rows.get(key);
    if (!row) {
      row = { holding: new Map(), waiting: new Map() };
      this.#rows.set(key, row);
    }
    return row;
  }

  #sweep(key: string): void {
    const row = this.#rows.get(key);
    if (row && row.holding.size + row.waiting.size === 0) this.#rows.delete(key);
  }
}

/** Index of a claimant, by binary search: queues may have ten thousand entries. */
function placeIn<T extends Claimant>(list: readonly T[], one: T): number {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (isBefore(list[middle] as T, one)) low = middle + 1;
    else high = middle;
  }
  return low;
}
