/** Bounds of what is kept in memory. */
interface Bounds {
  /** Entries at most; the oldest one gives way. */
  most: number;
  /** Time for which an entry is kept, in milliseconds. */
  keptMs: number;
  /** The time now, in milliseconds. Default: the clock of the process, which never goes back. */
  now?: () => number;
}

/** Values in memory that are forgotten after a while, however often they are read. */
export class ExpiringMap<V extends {}> {
  readonly #entries = new Map<string, { value: V; until: number }>();
  readonly #bounds: Required<Bounds>;

  constructor(bounds: Bounds) {
    this.#bounds = { now: () => performance.now(), ...bounds };
  }

  get(key: string): V | undefined {
    const found = this.#entries.get(key);
    if (!found) return undefined;
    if (found.until > this.#bounds.now()) return found.value;
    this.#entries.delete(key);
    return undefined;
  }

  /** Keeps a value. A value that is kept already stays as it is, with its time. */
  keep(key: string, value: V): void {
    if (this.get(key) !== undefined) return;
    const { most, keptMs, now } = this.#bounds;
    if (this.#entries.size >= most) this.#entries.delete(this.#entries.keys().next().value as string);
    this.#entries.set(key, { value, until: now() + keptMs });
  }
}

/** Workflows of which something is kept in memory, at most. */
const MOST = 10_000;
/**
 * An hour. A workflow does not change its place or its type, but Temporal forgets it after its retention, which is a day
 * or more, and may then start another one with its id.
 */
const KEPT_MS = 3_600_000;

/** Creates a map by the ids of workflows. */
export const createWorkflowMap = <V extends {}>(now?: () => number): ExpiringMap<V> =>
  new ExpiringMap<V>({ most: MOST, keptMs: KEPT_MS, ...(now && { now }) });
