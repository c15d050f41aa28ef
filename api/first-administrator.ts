import * as z from 'zod';
import { inputError } from '../core/errors.js';
import { readBody } from './request/read-body.js';

/** The path that needs no token, but the code that the server printed at its start. */
export const FIRST_ADMINISTRATOR = '/v1/first-administrator';

/** Takes the code, once; answers the account and its token. Throws `code-refused`. */
export type RedeemCode = (code: string) => Promise<{ account: string; token: string; expiresAt: string }>;

/** Bytes of a body: its sender is not authenticated. */
const MOST_BYTES = 1024;

const input = z.strictObject({ code: z.string().min(1).max(100) });

/**
 * Answers a request for the token of the first administrator.
 *
 * @throws inputError `verb-not-allowed`, `bad-request`, `content-type`, `too-large`, `code-refused`
 */
export async function answerFirstAdministrator(request: Request, redeem: RedeemCode): Promise<Response> {
  if (request.method !== 'POST') {
    const why = 'the path does not take this verb; it takes POST';
    throw Object.assign(inputError({ code: 'verb-not-allowed', what: 'answer the request', why }), { headers: { allow: 'POST' } });
  }
  const { success, data } = input.safeParse(await readBody(request.body, request.headers, MOST_BYTES));
  if (!success)
    throw inputError({ code: 'bad-request', what: 'read the request', why: 'it must be an object with the text `code`' });
  return Response.json(await redeem(data.code), { status: 201 });
}
