import { groupByKey } from '../../core/grouped.js';
import { countShare, splitIntoWaves, type UpdatePolicy } from '../../core/operation/rolling.js';

/** Something to be changed on a server that serves: one of its services, or (without a taskserv) the machine. */
export interface Target {
  server: string;
  taskserv?: string;
}

export interface PlannedTarget extends Target {
  /** Out of service before anything was done: touching it takes nothing away. */
  broken: boolean;
  policy: UpdatePolicy;
}

interface Waiting {
  target: Target;
  limit: number;
  go(): void;
}

const idOf = ({ server, taskserv = '' }: Target) => `${server}/${taskserv}`;

/**
 * Decides which of the servers of one role may be changed next: wave after wave in the given order, never more out of
 * service than allowed, and none while a failed one waits for a decision. Pure: it only counts, and answers when a
 * target may begin.
 *
 * Nothing waits for a later target, so nothing waits forever. An unplanned change, which an earlier one on the host
 * made necessary, waits only for room, not for a wave.
 */
export class Rollout {
  readonly #size: number;
  readonly #waves: Set<string>[] = [];
  readonly #waveOf = new Map<string, number>();
  readonly #places = new Map<string, { wave: number; of: number }>();
  readonly #broken = new Map<string, Set<string>>();
  readonly #touched = new Map<string, number>();
  readonly #inside = new Set<string>();
  readonly #held = new Set<string>();
  #waiting: Waiting[] = [];
  #current = 0;

  /**
   * @param size number of servers of the role
   * @param planned in the order of the work: all of one taskserv before the next
   * @param out targets that are out of service and need no change
   */
  constructor(size: number, planned: readonly PlannedTarget[], out: readonly Target[] = []) {
    this.#size = size;
    for (const one of [...out, ...planned.filter(({ broken }) => broken)]) this.#break(one);
    for (const group of groupByKey(planned, ({ taskserv = '' }) => taskserv).values()) {
      // Broken ones come first: repairing them makes room for the others.
      const inOrder = [...group.filter(({ broken }) => broken), ...group.filter(({ broken }) => !broken)];
      const wave = Math.min(...group.map(({ policy }) => countShare(policy.batch, size)));
      splitIntoWaves(inOrder, wave).forEach((part, index, parts) => {
        for (const one of part) {
          this.#waveOf.set(idOf(one), this.#waves.length);
          this.#places.set(idOf(one), { wave: index + 1, of: parts.length });
        }
        this.#waves.push(new Set(part.map(idOf)));
      });
    }
  }

  #break({ server, taskserv = '' }: Target): void {
    this.#broken.set(taskserv, (this.#broken.get(taskserv) ?? new Set()).add(server));
  }

  /** Which wave it is in, counted from 1, and of how many; undefined for what was not planned. */
  place(target: Target): { wave: number; of: number } | undefined {
    return this.#places.get(idOf(target));
  }

  /** Resolves when it may be changed; says whether that took waiting. A held one goes on at once. */
  enter(target: Target, policy: UpdatePolicy): Promise<boolean> {
    this.#held.delete(idOf(target));
    if (this.#inside.has(idOf(target))) {
      this.#admit();
      return Promise.resolve(false);
    }
    let atOnce = true;
    return new Promise((resolve) => {
      this.#waiting.push({ target, limit: countShare(policy.maxUnavailable, this.#size), go: () => resolve(!atOnce) });
      this.#admit();
      atOnce = false;
    });
  }

  /** It failed, and a person is asked: it stays out, and no other target begins. */
  hold(target: Target): void {
    if (this.#inside.has(idOf(target))) this.#held.add(idOf(target));
  }

  /** It is settled, whether it was changed or not. */
  leave(target: Target): void {
    const id = idOf(target);
    this.#held.delete(id);
    if (this.#inside.delete(id)) {
      const left = (this.#touched.get(target.server) ?? 1) - 1;
      if (left > 0) this.#touched.set(target.server, left);
      else this.#touched.delete(target.server);
    }
    this.#broken.get(target.taskserv ?? '')?.delete(target.server);
    const wave = this.#waveOf.get(id);
    if (wave !== undefined) this.#waves[wave]?.delete(id);
    while (this.#current < this.#waves.length && this.#waves[this.#current]?.size === 0) this.#current++;
    this.#admit();
  }

  #admit(): void {
    for (const one of [...this.#waiting]) {
      if (!this.#mayEnter(one)) continue;
      this.#waiting = this.#waiting.filter((other) => other !== one);
      this.#inside.add(idOf(one.target));
      this.#touched.set(one.target.server, (this.#touched.get(one.target.server) ?? 0) + 1);
      one.go();
    }
  }

  #mayEnter({ target: { server, taskserv = '' }, target, limit }: Waiting): boolean {
    if (this.#held.size > 0) return false;
    const wave = this.#waveOf.get(idOf(target));
    if (wave !== undefined && wave > this.#current) return false;
    const broken = this.#broken.get(taskserv);
    if (this.#touched.has(server) || broken?.has(server)) return true;
    return new Set([...this.#touched.keys(), ...(broken ?? [])]).size < limit;
  }
}
