import { inputError } from '../../core/errors.js';
import type { GuardedAnswer, GuardedFetch } from '../network/guarded-fetch.js';

const MOST_REDIRECTS = 5;

/**
 * Requests a file and follows redirects, but none from TLS to plain text.
 *
 * @param from how many bytes are there already: the answer may begin behind them
 * @param fetch checks each address that it connects to
 * @throws inputError `artifact-refused`, `address-refused`, or what `fetch` says of the network
 */
export async function answerFrom(url: string, from: number, signal: AbortSignal, fetch: GuardedFetch): Promise<GuardedAnswer> {
  let at = new URL(url);
  for (let count = 0; count <= MOST_REDIRECTS; count++) {
    const headers = { 'accept-encoding': 'identity', ...(from > 0 && { range: `bytes=${from}-` }) };
    const response = await fetch(at.href, { headers, signal });
    const location = response.headers.get('location');
    if (response.status < 300 || response.status >= 400 || location === null) return response;
    await response.body?.cancel();
    const next = URL.canParse(location, at.href) ? new URL(location, at) : undefined;
    if (!next || !['https:', 'http:'].includes(next.protocol) || (at.protocol === 'https:' && next.protocol === 'http:'))
      throw refused(url, 'it redirects to an address that is not an https:// URL');
    at = next;
  }
  throw refused(url, `it redirects more than ${MOST_REDIRECTS} times`);
}

const refused = (on: string, why: string) =>
  inputError({ code: 'artifact-refused', what: 'fetch the artifact for the host', on, why });
