import { problemIn } from '../encoding/json-schema.js';
import { inputError } from '../errors.js';
import { REQUEST_SCHEMAS } from './request-schemas.js';

/** What can be asked, by the schema that it has. */
export type RequestName = keyof typeof REQUEST_SCHEMAS;

/**
 * Holds a request against its schema (core/schema/requests.ts), before anything of it is used.
 *
 * @param strict whether fields are refused that it does not know: where requests are made, not where those of
 *   other versions are taken up
 * @throws inputError `bad-request` with the first field that is wrong
 */
export function checkRequest(asked: RequestName, request: unknown, { strict, on }: { strict: boolean; on?: string }): void {
  const why = problemIn(REQUEST_SCHEMAS[asked], request, strict);
  if (why === undefined) return;
  throw inputError({ code: 'bad-request', what: 'read the request', ...(on ? { on } : {}), why });
}
