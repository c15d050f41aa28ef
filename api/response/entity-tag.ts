import { createHash } from 'node:crypto';
import { inputError } from '../../core/errors.js';

/** Tags of a header, each without its mark of a weak one. */
const tagsIn = (header: string): string[] => header.split(',').map((one) => one.trim().replace(/^W\//, ''));

/** An answer in JSON. Its body is one text from here to the connection: a stream in between costs more than the rest. */
export const respondJson = (text: string, headers: Readonly<Record<string, string>> = {}): Response =>
  new Response(text, { headers: { 'content-type': 'application/json', ...headers } });

/**
 * Answers a read, in JSON, with a tag of its content. A caller with the same content gets 304 and no body.
 *
 * @param headers of the request
 * @param version of the resource: a change may expect it by `If-Match`
 */
export function respondTagged(text: string, headers: Headers, version?: string): Response {
  const hash = createHash('sha256').update(text).digest('base64url');
  const etag = version === undefined ? `"${hash}"` : `"${hash}.${version}"`;
  const known = headers.get('if-none-match');
  if (known !== null && tagsIn(known).some((one) => one === '*' || one === etag))
    return new Response(null, { status: 304, headers: { etag } });
  return respondJson(text, { etag });
}

/** Creates the error for a condition on a call that cannot check it: the sender of a condition relies on it. */
export function refuseIfMatch(method: string): Error {
  const why = 'the method cannot check If-Match';
  return inputError({ code: 'bad-request', what: 'answer the request', on: method, why, hint: 'omit the header' });
}
