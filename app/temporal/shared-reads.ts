/**
 * Reads of subjects, each once at a time. A call that comes during a read shares the next read with the other calls,
 * because the present one may have missed what the caller knows. However many callers ask, a subject has one read at
 * work and one that waits.
 */
export class SharedReads {
  readonly #reading = new Map<string, Promise<unknown>>();
  readonly #waiting = new Map<string, Promise<unknown>>();

  /**
   * Reads a subject. Throws the errors of `read`.
   *
   * @param key identifies the subject among all kinds of subjects: `read` of all calls with it does the same
   */
  read<Value>(key: string, read: () => Promise<Value>): Promise<Value> {
    const present = this.#reading.get(key);
    if (!present) {
      const reading = read().finally(() => this.#reading.delete(key));
      this.#reading.set(key, reading);
      return reading;
    }
    const next =
      (this.#waiting.get(key) as Promise<Value> | undefined) ??
      present
        .catch(() => undefined)
        .then(() => {
          this.#waiting.delete(key);
          return this.read(key, read);
        });
    this.#waiting.set(key, next);
    return next;
  }
}

const readsOf = new WeakMap<object, SharedReads>();

/**
 * Returns the reads that all calls of this process share.
 *
 * @param source what is read. It lives as long as the connection to that: an engine can be an object of one call
 */
export function shareReads(source: object): SharedReads {
  const reads = readsOf.get(source) ?? new SharedReads();
  readsOf.set(source, reads);
  return reads;
}
