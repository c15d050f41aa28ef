/** Longest rate limit that is accepted from a source, in milliseconds. */
const LONGEST_MS = 24 * 60 * 60_000;
/** Rate limit if the source names no duration. */
const USUAL_MS = 60_000;

/**
 * Returns how long a source must not be queried, in milliseconds; undefined if the answer is not a rate limit. GitHub
 * answers 403 with the time at which its count resets; others answer 429.
 *
 * @param now milliseconds since 1970
 */
export function readRetryAfter({ status, headers }: Pick<Response, 'status' | 'headers'>, now: number): number | undefined {
  const after = headers.get('retry-after');
  const used = headers.get('x-ratelimit-remaining') === '0';
  if (status !== 429 && !(status === 403 && (after !== null || used))) return undefined;
  const reset = headers.get('x-ratelimit-reset') ?? '';
  const until = /^\d{1,12}$/.test(after ?? '')
    ? now + Number(after) * 1_000
    : after !== null && !Number.isNaN(Date.parse(after))
      ? Date.parse(after)
      : /^\d{1,12}$/.test(reset)
        ? Number(reset) * 1_000
        : now + USUAL_MS;
  return Math.min(Math.max(until - now, 1_000), LONGEST_MS);
}
