import { createHash } from 'node:crypto';
import { inputError } from '../../core/errors.js';

/** Tags of a header, each without its mark of a weak one. */
const tagsIn = (header: string): string[] => header.split(',').map((one) => one.trim().replace(/^W\//, ''));

/**
 * Gives an answer to a read a tag of its content. A caller who has the same content gets 304 and no body.
 *
 * @param headers of the request
 * @param version of what is read: a change may expect it by `If-Match`
 */
export async function tagResponse(response: Response, headers: Headers, version?: string): Promise<Response> {
  if (response.status !== 200) return response;
  const body = Buffer.from(await response.arrayBuffer());
  const hash = createHash('sha256').update(body).digest('base64url');
  const etag = version === undefined ? `"${hash}"` : `"${hash}.${version}"`;
  const known = headers.get('if-none-match');
  if (known !== null && tagsIn(known).some((one) => one === '*' || one === etag))
    return new Response(null, { status: 304, headers: { etag } });
  const tagged = new Response(body, response);
  tagged.headers.set('etag', etag);
  return tagged;
}

/**
 * The error for a condition on a call that cannot check it: whoever sends one relies on it.
 */
export function refuseIfMatch(method: string): Error {
  const why = 'the method cannot check If-Match';
  return inputError({ code: 'bad-request', what: 'answer the request', on: method, why, hint: 'omit the header' });
}
