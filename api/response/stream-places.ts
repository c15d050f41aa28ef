import { unreachableError } from '../../core/errors.js';

/** Maximum number of streams, for one principal and for all. */
const MOST = { each: 100, all: 2_000 };
const AGAIN_MS = 5_000;

/** Counts the open streams of an instance, and ends them when it stops. */
export interface StreamPlaces {
  /** Takes a place. @throws unreachableError `rate-limited` */
  take(actor: string): { stop: AbortController; leave(): void };
  /** Ends all streams. */
  close(): void;
  readonly open: number;
}

/** @param refuse creates the error for an additional stream */
export function createStreamPlaces(most = MOST, refuse = tooMany): StreamPlaces {
  const taken = new Map<string, Set<AbortController>>();
  let open = 0;
  return {
    take(actor) {
      const own = taken.get(actor) ?? new Set();
      if (own.size >= most.each || open >= most.all) throw refuse(own.size >= most.each ? most.each : most.all);
      const stop = new AbortController();
      taken.set(actor, own.add(stop));
      open++;
      return {
        stop,
        leave() {
          if (!own.delete(stop)) return;
          open--;
          if (own.size === 0 && taken.get(actor) === own) taken.delete(actor);
        },
      };
    },
    close() {
      for (const own of [...taken.values()]) for (const stop of [...own]) stop.abort();
    },
    get open() {
      return open;
    },
  };
}

const tooMany = (most: number) =>
  unreachableError({
    code: 'rate-limited',
    what: 'follow events',
    why: `${most} streams are open, the most that are served`,
    hint: 'close a stream; one of a workspace has the events of all its infras',
    retryAfterMs: AGAIN_MS,
  });
