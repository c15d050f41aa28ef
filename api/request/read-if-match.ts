import { inputError } from '../../core/errors.js';

/** Tags of entities, each in quotes; one of a weak comparison begins with `W/`. */
const TAGS = /^(?:W\/)?"[!#-~]{0,200}"(?:\s*,\s*(?:W\/)?"[!#-~]{0,200}")*$/;
const MOST_TAGS = 20;

/**
 * The versions that `If-Match` of a request expects: the parts of its tags behind the dot. `*`: the resource must be there. A weak
 * tag matches nothing.
 *
 * @param method its name
 * @throws inputError `bad-request` for a header of another form, and for `If-Unmodified-Since`: no version is a time
 */
export function readIfMatch(headers: Headers, method: string): string[] | undefined {
  const refuse = (why: string, hint: string) =>
    inputError({ code: 'bad-request', what: 'answer the request', on: method, why, hint });
  if (headers.get('if-unmodified-since') !== null)
    throw refuse('the method cannot check If-Unmodified-Since', 'send If-Match with an ETag');
  const given = headers.get('if-match')?.trim();
  if (given === undefined) return undefined;
  if (given === '*') return ['*'];
  if (!TAGS.test(given)) throw refuse('If-Match is not a list of tags in quotes', 'send the ETag of an answer as it is');
  const tags = given.match(/(?:W\/)?"[^"]*"/g) ?? [];
  if (tags.length > MOST_TAGS)
    throw refuse(`If-Match has ${tags.length} tags, at most ${MOST_TAGS} are taken`, 'send the last one');
  return tags.flatMap((tag) => /^"[^"]*\.([A-Za-z0-9_-]+)"$/.exec(tag)?.[1] ?? []);
}
