import { createHash } from 'node:crypto';
import { inputError } from '../../core/errors.js';

/** Tags of a header, each without its mark of a weak one. */
const tagsIn = (header: string): string[] => header.split(',').map((one) => one.trim().replace(/^W\//, ''));

/** An answer in JSON. Its body is one text from here to the connection: a stream in between costs more than the rest. */
export const respondJson = (text: string, headers: Readonly<Record<string, string>> = {}): Response =>
  new Response(text, { headers: { 'content-type': 'application/json', ...headers } });

/**
 * An answer to a read, in JSON, with a tag of its content. A caller who has the same content gets 304 and no body.
 *
 * @param headers of the request
 */
export function respondTagged(text: string, headers: Headers): Response {
  const etag = `"${createHash('sha256').update(text).digest('base64url')}"`;
  const known = headers.get('if-none-match');
  if (known !== null && tagsIn(known).some((one) => one === '*' || one === etag))
    return new Response(null, { status: 304, headers: { etag } });
  return respondJson(text, { etag });
}

/**
 * Refuses a condition on a change: whoever sends one relies on it, and no method checks it in the store.
 *
 * @throws inputError `bad-request`
 */
export function refuseIfMatch(headers: Headers, method: string): void {
  if (headers.get('if-match') === null && headers.get('if-unmodified-since') === null) return;
  const why = 'the method cannot check If-Match or If-Unmodified-Since';
  throw inputError({ code: 'bad-request', what: 'answer the request', on: method, why, hint: 'omit the header' });
}
