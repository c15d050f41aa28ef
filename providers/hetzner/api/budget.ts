import { unreachableError } from '../../../sdk/index.js';

/** Where nothing says how long to wait, in milliseconds. */
const PAUSE_MS = 1_000;

/** How many requests the project has left, as its answers say. */
export interface Budget {
  /** Throws `rate-limited` while no request may be made. */
  spend(about: { what: string; on: string }): void;
  /** Takes in the headers of an answer; answers how long to wait where it refused. */
  learn(headers: Headers, refused: boolean): number | undefined;
  /** The share of the hour's requests that is left, from 0 to 1. */
  left(): number;
  known(): { limit: number; remaining: number } | undefined;
}

/**
 * Keeps to `RateLimit-Limit`, `-Remaining` and `-Reset` (seconds since 1970, when
 * all will be there again; they come back evenly), and to `Retry-After`.
 */
export function openBudget(now: () => number = Date.now): Budget {
  let opensAt = 0;
  let seen: { limit: number; remaining: number } | undefined;

  const number = (headers: Headers, name: string): number | undefined => {
    const value = Number(headers.get(name) ?? Number.NaN);
    return Number.isFinite(value) ? value : undefined;
  };

  return {
    spend(about) {
      const retryAfterMs = Math.ceil(opensAt - now());
      if (retryAfterMs <= 0) return;
      const why = `the project has used up its ${seen?.limit ?? ''} requests an hour`.replace('  ', ' ');
      throw unreachableError({ code: 'rate-limited', ...about, why, retryAfterMs });
    },
    learn(headers, refused) {
      const [limit, remaining, reset] = ['ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset'].map((name) =>
        number(headers, name),
      );
      if (limit !== undefined && remaining !== undefined) seen = { limit, remaining };
      if (!refused && (remaining === undefined || remaining > 0)) return undefined;
      const asked = headers.get('retry-after');
      const seconds =
        asked === null ? undefined : Number.isFinite(Number(asked)) ? Number(asked) : (Date.parse(asked) - now()) / 1000;
      // Of all that will have come back by then, one is enough to go on.
      const forOne = reset && limit ? Math.max(0, reset * 1000 - now()) / Math.max(1, limit - (remaining ?? 0)) : 0;
      const wait = seconds !== undefined && seconds >= 0 ? seconds * 1000 : Math.max(PAUSE_MS, forOne);
      opensAt = Math.max(opensAt, now() + wait);
      return refused ? Math.ceil(opensAt - now()) : undefined;
    },
    left: () => (seen && seen.limit > 0 ? seen.remaining / seen.limit : 1),
    known: () => seen,
  };
}
