import { createHash } from 'node:crypto';
import { inputError } from '../../core/errors.js';

/** Tags of a header, each without its mark of a weak one. */
const tagsIn = (header: string): string[] => header.split(',').map((one) => one.trim().replace(/^W\//, ''));

/**
 * Gives an answer to a read a tag of its content. A caller who has the same content gets 304 and no body.
 *
 * @param headers of the request
 */
export async function tagResponse(response: Response, headers: Headers): Promise<Response> {
  if (response.status !== 200) return response;
  const body = Buffer.from(await response.arrayBuffer());
  const etag = `"${createHash('sha256').update(body).digest('base64url')}"`;
  const known = headers.get('if-none-match');
  if (known !== null && tagsIn(known).some((one) => one === '*' || one === etag))
    return new Response(null, { status: 304, headers: { etag } });
  const tagged = new Response(body, response);
  tagged.headers.set('etag', etag);
  return tagged;
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
