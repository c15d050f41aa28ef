import { unreachableError } from '../../../sdk/index.js';

/** Default pause in milliseconds. */
const PAUSE_MS = 1_000;

/** Remaining requests of the project, from the headers of answers. */
export interface Budget {
  /** Throws `rate-limited` while no request may be sent. */
  spend(about: { what: string; on: string }): void;
  /** Reads the headers of an answer. Returns the wait if the answer was a refusal. */
  learn(headers: Headers, refused: boolean): number | undefined;
  /** Remaining share of the hourly requests, from 0 to 1. */
  left(): number;
  known(): { limit: number; remaining: number } | undefined;
}

/**
 * Follows `RateLimit-Limit`, `-Remaining` and `-Reset`, and `Retry-After`. `-Reset` is the time in seconds since 1970
 * at which all requests are available again; they return evenly.
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
      // Until the reset all requests return, and one is enough to continue.
      const forOne = reset && limit ? Math.max(0, reset * 1000 - now()) / Math.max(1, limit - (remaining ?? 0)) : 0;
      const wait = seconds !== undefined && seconds >= 0 ? seconds * 1000 : Math.max(PAUSE_MS, forOne);
      opensAt = Math.max(opensAt, now() + wait);
      return refused ? Math.ceil(opensAt - now()) : undefined;
    },
    left: () => (seen && seen.limit > 0 ? seen.remaining / seen.limit : 1),
    known: () => seen,
  };
}
