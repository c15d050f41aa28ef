/** No source is believed that it wants to be left alone for longer, in milliseconds. */
const LONGEST_MS = 24 * 60 * 60_000;
/** Where it does not say how long. */
const USUAL_MS = 60_000;

/**
 * For how long a source wants to be left alone, in milliseconds; undefined where its answer is another one. GitHub answers
 * 403 and says when its count begins again, others answer 429.
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
