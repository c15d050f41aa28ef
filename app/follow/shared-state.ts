import { type Pace, PollLoop } from './poll-loop.js';
import { shareReader } from './reader-of.js';

/** Reads a subject. */
export interface StateSource<State> {
  read(): Promise<State>;
  /** Whether followers need not get the second one. */
  isSame(before: State, now: State): boolean;
  /** Whether followers are done after this one. */
  isLast(state: State): boolean;
}

/**
 * The state of a subject for any number of followers. A follower has a position in memory, and no queue. A slow
 * follower gets the newest state, without the states that it missed.
 */
export class SharedState<State> {
  readonly #loop: PollLoop;
  readonly #isLast: (state: State) => boolean;
  #now: { version: number; state: State } | undefined;

  /** @param onOver called once, when the subject is not read any more */
  constructor({ read, isSame, isLast }: StateSource<State>, pace: Pace, onOver?: () => void) {
    this.#isLast = isLast;
    const poll = async () => {
      const state = await read();
      const before = this.#now;
      const version = before && isSame(before.state, state) ? before.version : (before?.version ?? 0) + 1;
      this.#now = { version, state };
    };
    this.#loop = new PollLoop(poll, pace, onOver);
  }

  /** Has the state read at once: for a source that answers from now on from memory. */
  nudge(): void {
    this.#loop.nudge();
  }

  /**
   * Yields each state, until the last one or until `signal` is aborted. The first state is read after the follower has
   * joined, so it shows the follower's own changes. Throws the errors of `read`.
   *
   * @returns whether nothing more is to follow: otherwise this reader was over before it read for this follower
   */
  async *follow(signal?: AbortSignal): AsyncGenerator<State, boolean> {
    const leave = this.#loop.join();
    try {
      let version = 0;
      for (let number = this.#loop.begun; await this.#loop.past(number, signal); ) {
        number = this.#loop.done;
        const now = this.#now as { version: number; state: State };
        if (now.version === version) continue;
        version = now.version;
        yield now.state;
        if (this.#isLast(now.state)) return true;
      }
      return signal?.aborted === true;
    } finally {
      leave();
    }
  }
}

/**
 * Follows a state by its single reader in this process.
 *
 * @param source and `key` as of `shareReader`
 * @param make creates the reader
 */
export async function* followState<State>(
  source: object,
  key: string,
  { make, signal }: { make: (onOver: () => void) => SharedState<State>; signal?: AbortSignal | undefined },
): AsyncGenerator<State> {
  while (!(yield* shareReader(source, key, make).follow(signal)));
}
