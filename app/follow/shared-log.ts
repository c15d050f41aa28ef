import { type Pace, PollLoop } from './poll-loop.js';
import { shareReader } from './reader-of.js';

/**
 * Number of events in memory that all followers of a subject share. A follower that is further behind reads the
 * source.
 */
const KEPT = 250;

/** Reads a subject with permanent events: all of them can be read again. */
export interface LogSource<Event> {
  /**
   * Finds the events since the last poll. The first poll only finds the end of the log.
   *
   * @param put takes the events; at the same moment `readAfter` begins to include them
   */
  poll(put: (events: readonly Event[]) => void): Promise<void>;
  /**
   * Yields the events after a cursor, as far as the log was when it was called.
   *
   * @throws inputError `bad-cursor`
   */
  readAfter(cursor: string): AsyncIterable<Event>;
  /** Returns the first event for a follower without a cursor, which has the present end of the log. */
  start(): Event;
}

/**
 * The events of a subject for any number of followers. A follower has a position in the shared events, and no queue. A
 * follower that falls behind reads missing events from the source.
 */
export class SharedLog<Event extends { cursor: string }> {
  readonly #loop: PollLoop;
  readonly #source: LogSource<Event>;
  readonly #kept: number;
  #events: Event[] = [];
  /** Number of the first event in memory, in this process. */
  #first = 0;

  /** @param onOver called once, when the subject is not read any more */
  constructor(source: LogSource<Event>, { pace, kept = KEPT, onOver }: { pace: Pace; kept?: number; onOver?: () => void }) {
    this.#source = source;
    this.#kept = kept;
    this.#loop = new PollLoop(() => source.poll((events) => this.#put(events)), pace, onOver);
  }

  /**
   * Yields each event after a cursor until `signal` is aborted; without a cursor, the start and each event from now
   * on. Throws the errors of the source.
   */
  async *follow(after: string | undefined, signal?: AbortSignal): AsyncGenerator<Event> {
    const leave = this.#loop.join();
    try {
      // The events may come from any poll, because they do not change.
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
          // Both at one moment: the events of the source are exactly the events before the end.
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

  /** Returns the position after an event in memory. */
  #placeAfter(cursor: string): number | undefined {
    const index = this.#events.findLastIndex((event) => event.cursor === cursor);
    return index < 0 ? undefined : this.#first + index + 1;
  }
}

/**
 * Follows a log by its single reader in this process.
 *
 * @param source and `key` as of `shareReader`
 * @param after the cursor of the last known event
 * @param make creates the reader
 */
export async function* followLog<Event extends { cursor: string }>(
  source: object,
  key: string,
  {
    after,
    make,
    signal,
  }: { after?: string | undefined; make: (onOver: () => void) => SharedLog<Event>; signal?: AbortSignal | undefined },
): AsyncGenerator<Event> {
  yield* shareReader(source, key, make).follow(after, signal);
}
