import { problemIn } from '../encoding/json-schema.js';
import { inputError } from '../errors.js';
import { REQUEST_SCHEMAS } from './request-schemas.js';

/** Kinds of requests, by their schemas. */
export type RequestName = keyof typeof REQUEST_SCHEMAS;

/**
 * Validates a request by its schema (core/schema/requests.ts) before its use.
 *
 * @param strict refuse unknown fields: for new requests, not for those of other versions
 * @throws inputError `bad-request` with the first invalid field
 */
export function checkRequest(asked: RequestName, request: unknown, { strict, on }: { strict: boolean; on?: string }): void {
  const why = problemIn(REQUEST_SCHEMAS[asked], request, strict);
  if (why === undefined) return;
  throw inputError({ code: 'bad-request', what: 'read the request', ...(on ? { on } : {}), why });
}
