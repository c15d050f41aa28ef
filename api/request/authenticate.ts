import type { Principal } from '../../app/principal.js';
import { inputError } from '../../core/errors.js';
import { BAD_TOKEN } from '../response/problem.js';

/**
 * Returns the principal of a bearer token; undefined for an expired, revoked or invalid token. An empty token stands
 * for a header of another format. The address is the source of the request.
 */
export type PrincipalOf = (bearer: string, address?: string) => Promise<Principal | undefined>;

/** `token68` of RFC 9110, at most as long as a signed token is. */
const BEARER = /^bearer +([A-Za-z0-9._~+/-]{1,4096}=*)$/i;

/**
 * Returns the principal of a request. An invalid, expired or revoked token gets the same answer.
 *
 * @throws inputError `bad-token`
 */
export async function authenticate(headers: Headers, principalOf: PrincipalOf): Promise<{ principal: Principal; bearer: string }> {
  const given = headers.get('authorization');
  if (given === null) throw badToken('it has no token');
  const bearer = BEARER.exec(given)?.[1];
  const principal = await principalOf(bearer ?? '');
  if (bearer === undefined || !principal) throw badToken('its token is not valid');
  return { principal, bearer };
}

const badToken = (why: string) =>
  inputError({
    code: BAD_TOKEN,
    what: 'answer the request',
    why,
    hint: 'send a token in the header Authorization: Bearer',
  });
