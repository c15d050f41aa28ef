interface Wish {
  shared: readonly string[];
  alone: readonly string[];
  go(release: () => void): void;
}

/**
 * Shared and exclusive use of resources. All requested resources are given at once, so no holder waits for another
 * resource, and no deadlock is possible. Pure.
 */
export class Occupancy {
  readonly #sharers = new Map<string, number>();
  readonly #alone = new Set<string>();
  #waiting: Wish[] = [];

  /** Resolves when all of it is free; the answer gives it back. */
  take(shared: readonly string[], alone: readonly string[]): Promise<() => void> {
    return new Promise((resolve) => {
      this.#waiting.push({ shared: [...new Set(shared)], alone: [...new Set(alone)], go: resolve });
      this.#serve();
    });
  }

  #serve(): void {
    for (const wish of [...this.#waiting]) {
      const free =
        wish.shared.every((name) => !this.#alone.has(name)) &&
        wish.alone.every((name) => !this.#alone.has(name) && !this.#sharers.has(name));
      if (!free) continue;
      this.#waiting = this.#waiting.filter((other) => other !== wish);
      for (const name of wish.shared) this.#sharers.set(name, (this.#sharers.get(name) ?? 0) + 1);
      for (const name of wish.alone) this.#alone.add(name);
      let given = true;
      wish.go(() => {
        if (!given) return;
        given = false;
        this.#giveBack(wish);
      });
    }
  }

  #giveBack({ shared, alone }: Wish): void {
    for (const name of alone) this.#alone.delete(name);
    for (const name of shared) {
      const left = (this.#sharers.get(name) ?? 1) - 1;
      if (left > 0) this.#sharers.set(name, left);
      else this.#sharers.delete(name);
    }
    this.#serve();
  }
}
