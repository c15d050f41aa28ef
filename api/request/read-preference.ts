/** Default time to wait for a method that waits, in seconds. */
const USUAL_S = 30;
/** And at most: proxies end connections on which nothing happens after a minute. */
const MOST_S = 55;
/** Minimum time: an end of long ago must still be read. */
const LEAST_S = 1;

/** How long the caller wants to wait: `Prefer: wait=10` of RFC 7240, in seconds. */
export function readPreference(headers: Headers): { seconds: number; applied?: string } {
  const wait = (headers.get('prefer') ?? '')
    .split(',')
    .map((one) => /^\s*wait\s*=\s*"?(\d{1,6})"?\s*(;.*)?$/i.exec(one)?.[1])
    .find((one) => one !== undefined);
  if (wait === undefined) return { seconds: USUAL_S };
  const seconds = Math.max(LEAST_S, Math.min(Number(wait), MOST_S));
  return { seconds, applied: `wait=${seconds}` };
}
