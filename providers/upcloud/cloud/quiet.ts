import { retryAfterMs } from '../client/index.js';

/** Default pause in milliseconds. */
const PAUSE_MS = 1_000;

/**
 * Creates a `fetch` that sends nothing during a pause requested for the account. The pause applies to all requests of
 * this process, including running operations.
 */
export function quietFetch(send: typeof fetch = fetch, now: () => number = Date.now): typeof fetch {
  let until = 0;
  return async (url, init) => {
    const left = until - now();
    if (left > 0) return refusal(left);
    const response = await send(url, init);
    if (response.status === 429) {
      const pause = retryAfterMs(response.headers.get('retry-after'), now()) ?? PAUSE_MS;
      until = Math.max(until, now() + pause);
    }
    return response;
  };
}

/** Creates a refusal in the form of UpCloud. */
function refusal(leftMs: number): Response {
  const error = { error_code: 'TOO_MANY_REQUESTS', error_message: 'the account asked to be left alone for a while' };
  const headers = { 'content-type': 'application/json', 'retry-after': (Math.ceil(leftMs) / 1_000).toFixed(3) };
  return new Response(JSON.stringify({ error }), { status: 429, headers });
}
