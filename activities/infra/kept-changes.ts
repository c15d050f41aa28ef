import type { FeedEntry } from '../../core/infra/feed.js';

/** Grants whose changes are counted: enough for those that end at the same time. */
const COUNTED = 20_000;

interface Waiting {
  count: number;
  resolve(): void;
}

/**
 * Changes that this worker appended to feeds, by the grant under which they were made. Waiting operations in the same
 * process need no query. The changes of other workers are unknown here.
 */
export class KeptChanges {
  /** The last number that was counted, by the UUID of the infra. */
  readonly #last = new Map<string, number>();
  readonly #counts = new Map<string, number>();
  readonly #waiting = new Map<string, Set<Waiting>>();

  /** These were appended. */
  note(entity: string, uuid: string, entries: readonly FeedEntry[]): void {
    const last = this.#last.get(uuid) ?? 0;
    for (const { sequence, content } of entries) {
      if (sequence <= last || content.kind !== 'changes' || content.grant === undefined) continue;
      this.#count(`${entity} ${content.grant}`, content.changes.length);
    }
    this.#last.set(uuid, Math.max(last, entries.at(-1)?.sequence ?? 0));
    if (this.#last.size > COUNTED) this.#last.delete(this.#last.keys().next().value as string);
  }

  /** Waits until so many changes of a grant were appended; answers whether they were. */
  async until(entity: string, grant: number, count: number, forMs: number): Promise<boolean> {
    const key = `${entity} ${grant}`;
    if ((this.#counts.get(key) ?? 0) >= count) return true;
    const all = this.#waiting.get(key) ?? new Set();
    this.#waiting.set(key, all);
    let timer: NodeJS.Timeout | undefined;
    let waiting: Waiting | undefined;
    const kept = await new Promise<boolean>((resolve) => {
      timer = setTimeout(() => resolve(false), forMs);
      waiting = { count, resolve: () => resolve(true) };
      all.add(waiting);
    });
    clearTimeout(timer);
    if (waiting) all.delete(waiting);
    if (all.size === 0) this.#waiting.delete(key);
    return kept;
  }

  #count(key: string, more: number): void {
    const count = (this.#counts.get(key) ?? 0) + more;
    this.#counts.set(key, count);
    if (this.#counts.size > COUNTED) this.#counts.delete(this.#counts.keys().next().value as string);
    for (const waiting of this.#waiting.get(key) ?? []) if (count >= waiting.count) waiting.resolve();
  }
}
