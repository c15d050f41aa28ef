import { type Pace, PollLoop } from './poll-loop.js';
import { shareReader } from './reader-of.js';

/** Events that are kept for all followers of a subject together. Who is further behind reads the source. */
const KEPT = 250;

/** Reads a subject whose events stay: all of them can be read again. */
export interface LogSource<Event> {
  /**
   * Finds what is new since the last poll. The first one only finds out how far the log is.
   *
   * @param put takes the events; at the same moment `readAfter` begins to know of them
   */
  poll(put: (events: readonly Event[]) => void): Promise<void>;
  /**
   * Yields the events after a cursor, as far as the log was when it was called.
   *
   * @throws inputError `bad-cursor`
   */
  readAfter(cursor: string): AsyncIterable<Event>;
  /** What a follower without a cursor gets first: an event that says how far the log is now. */
  start(): Event;
}

/**
 * The events of a subject for any number of followers. A follower has a place among those that are kept, and no queue:
 * who falls behind them reads from the source what it missed.
 */
export class SharedLog<Event extends { cursor: string }> {
  readonly #loop: PollLoop;
  readonly #source: LogSource<Event>;
  readonly #kept: number;
  #events: Event[] = [];
  /** Number of the first event that is kept, in this process. */
  #first = 0;

  /** @param onOver called once, when the subject is not read any more */
  constructor(source: LogSource<Event>, { pace, kept = KEPT, onOver }: { pace: Pace; kept?: number; onOver?: () => void }) {
    this.#source = source;
    this.#kept = kept;
    this.#loop = new PollLoop(() => source.poll((events) => this.#put(events)), pace, onOver);
  }

  /**
   * Yields each event after a cursor until `signal` is aborted; without one, the start and each event from now on.
   * Throws what the source throws.
   */
  async *follow(after: string | undefined, signal?: AbortSignal): AsyncGenerator<Event> {
    const leave = this.#loop.join();
    try {
      // What is kept may be of any poll: events do not change.
      if (!(await this.#loop.past(0, signal))) return;
      let place = after === undefined ? this.#end : this.#placeAfter(after);
      let cursor = after ?? '';
      if (after === undefined) {
        const start = this.#source.start();
        yield start;
        cursor = start.cursor;
      }
      while (!signal?.aborted) {
        if (place === undefined || place < this.#first) {
          // Both at one moment: what the source has by now is what is before the end.
          place = this.#end;
          for await (const event of this.#source.readAfter(cursor)) {
            yield event;
            if (signal?.aborted) return;
            cursor = event.cursor;
          }
          continue;
        }
        const event = this.#events[place - this.#first];
        if (event) {
          yield event;
          cursor = event.cursor;
          place++;
          continue;
        }
        if (!(await this.#loop.past(this.#loop.done, signal))) return;
      }
    } finally {
      leave();
    }
  }

  get #end(): number {
    return this.#first + this.#events.length;
  }

  #put(events: readonly Event[]): void {
    this.#events.push(...events);
    const over = this.#events.length - this.#kept;
    if (over <= 0) return;
    this.#events = this.#events.slice(over);
    this.#first += over;
  }

  /** The place after an event that is kept. */
  #placeAfter(cursor: string): number | undefined {
    const index = this.#events.findLastIndex((event) => event.cursor === cursor);
    return index < 0 ? undefined : this.#first + index + 1;
  }
}

/**
 * Follows a log by the one reader of it in this process.
 *
 * @param key as of `shareReader`
 * @param after the cursor of the last event that is known
 * @param make makes the reader
 */
export async function* followLog<Event extends { cursor: string }>(
  engine: object,
  key: string,
  {
    after,
    make,
    signal,
  }: { after?: string | undefined; make: (onOver: () => void) => SharedLog<Event>; signal?: AbortSignal | undefined },
): AsyncGenerator<Event> {
  yield* shareReader(engine, key, make).follow(after, signal);
}
