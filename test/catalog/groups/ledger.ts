/** What a client writes, and what it was told to be kept. */
export class Ledger {
  readonly acknowledged: string[] = [];
  #count = 0;
  #writing: Promise<void> | undefined;
  #ended = false;

  constructor(
    private readonly members: readonly string[],
    private readonly write: (member: string, key: string) => Promise<unknown>,
  ) {}

  /** Writes once, by the first member that takes it. A key that was refused is not used again. */
  async once(members = this.members): Promise<string> {
    let last: unknown;
    for (const member of members) {
      const key = `k${this.#count++}`;
      try {
        await this.write(member, key);
        this.acknowledged.push(key);
        return key;
      } catch (error) {
        last = error;
      }
    }
    throw last;
  }

  /** Writes all the time, by each member in turn. */
  begin(): void {
    this.#ended = false;
    this.#writing = (async () => {
      for (let turn = 0; !this.#ended; turn += 1) {
        const first = turn % this.members.length;
        await this.once([...this.members.slice(first), ...this.members.slice(0, first)]).catch(() => {});
      }
    })();
  }

  async end(): Promise<void> {
    this.#ended = true;
    await this.#writing;
  }
}
