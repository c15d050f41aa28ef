/** One user of a connection. */
export interface Lease<T> {
  connection: Promise<T>;
  /** Later leases get a new connection. Other users of this one keep it: a failure of one call does not end theirs. */
  abandon(): void;
  /** Ends the use. An abandoned connection is closed with its last use. */
  release(): void;
}

interface Opened<T> {
  connection: Promise<T>;
  users: number;
  isAbandoned: boolean;
}

/** A connection that several calls share, and that each of them can replace for later calls. */
export class SharedConnection<T extends { close(): Promise<void> }> {
  readonly #open: () => Promise<T>;
  readonly #all = new Set<Opened<T>>();
  #current: Opened<T> | undefined;

  /** @param open connects; called again after a lease was abandoned */
  constructor(open: () => Promise<T>) {
    this.#open = open;
  }

  lease(): Lease<T> {
    this.#current ??= this.#connect();
    const opened = this.#current;
    opened.users++;
    let isReleased = false;
    return {
      connection: opened.connection,
      abandon: () => {
        opened.isAbandoned = true;
        if (this.#current === opened) this.#current = undefined;
      },
      release: () => {
        if (isReleased) return;
        isReleased = true;
        opened.users--;
        if (opened.isAbandoned && opened.users === 0) void this.#close(opened);
      },
    };
  }

  /** Closes each connection, used or not. */
  async close(): Promise<void> {
    this.#current = undefined;
    await Promise.all([...this.#all].map((opened) => this.#close(opened)));
  }

  #connect(): Opened<T> {
    const opened: Opened<T> = { connection: this.#open(), users: 0, isAbandoned: false };
    this.#all.add(opened);
    return opened;
  }

  async #close(opened: Opened<T>): Promise<void> {
    if (!this.#all.delete(opened)) return;
    // A connection that failed has nothing to close, and its user has the error.
    await opened.connection.then((connection) => connection.close()).catch(() => {});
  }
}
