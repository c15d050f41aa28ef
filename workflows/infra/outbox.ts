import { type FeedContent, type FeedEntry, isBase, type KnownInfra } from '../../core/infra/feed.js';

export interface OutboxState {
  /** The sequence of the last entry; 0: there was none. */
  last: number;
  /** The last entry says that the infra was deleted as a whole. */
  ended?: true;
  /** Those that are not kept yet. */
  waiting: FeedEntry[];
  /** Grants whose waiting changes a snapshot replaced, each with the snapshot's sequence. */
  replaced?: [grant: number, sequence: number][];
}

/** Entries that are appended at once. */
const AT_ONCE = 500;
/** Maximum number of entries that wait for a store. Beyond it a snapshot replaces all of them. */
const WAITING = 2_000;

/** Numbers the accepted changes of an infra, and has them until they are stored. Pure: callers pass the time. */
export class Outbox {
  #last = 0;
  #kept = 0;
  #ended = false;
  #waiting: FeedEntry[] = [];
  /** Snapshots that are not stored yet and replaced changes of these operations. */
  readonly #replaced: Map<number, number>;

  constructor(state?: OutboxState) {
    this.#replaced = new Map(state?.replaced);
    if (!state) return;
    this.#last = state.last;
    this.#ended = state.ended ?? false;
    this.#waiting = [...state.waiting];
  }

  /** How many wait. */
  get size(): number {
    return this.#waiting.length;
  }

  get last(): number {
    return this.#last;
  }

  /** The number up to which all is kept that this one had. */
  get keptUpTo(): number {
    return this.#kept;
  }

  /** Numbers one more. */
  put(content: FeedContent, at: string): void {
    this.#ended = content.kind === 'ended';
    this.#waiting.push({ sequence: ++this.#last, at, content });
  }

  /** The infra is deleted as a whole; says so once, and only where there was something. */
  end(at: string): void {
    if (this.#last > 0 && !this.#ended) this.put({ kind: 'ended' }, at);
  }

  /** A snapshot takes the place of all that wait. */
  replace(known: KnownInfra, at: string): void {
    for (const { content } of this.#waiting)
      if (content.kind === 'changes' && content.grant !== undefined) this.#replaced.set(content.grant, this.#last + 1);
    this.#waiting = [];
    this.put({ kind: 'snapshot', ...known }, at);
  }

  /** Whether more wait than is good. */
  get isLong(): boolean {
    return this.#waiting.length > WAITING;
  }

  /** Those to append next: a snapshot or an end is the first of them, or not among them. */
  next(): FeedEntry[] {
    const base = this.#waiting.findIndex((entry, index) => index > 0 && isBase(entry));
    return this.#waiting.slice(0, base > 0 ? Math.min(base, AT_ONCE) : AT_ONCE);
  }

  /** These are kept. */
  kept(sequence: number): void {
    this.#kept = sequence;
    this.#waiting = this.#waiting.filter((entry) => entry.sequence > sequence);
    for (const [grant, by] of this.#replaced) if (by <= sequence) this.#replaced.delete(grant);
  }

  /** Whether something that was done under a grant waits. */
  hasOf(grant: number): boolean {
    if (this.#replaced.has(grant)) return true;
    return this.#waiting.some(({ content }) => content.kind === 'changes' && content.grant === grant);
  }

  state(): OutboxState {
    const replaced = this.#replaced.size > 0 && { replaced: [...this.#replaced] };
    return { last: this.#last, ...(this.#ended && { ended: true }), waiting: this.#waiting, ...replaced };
  }
}
