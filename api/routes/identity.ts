import { inputError } from '../../core/errors.js';
import type { JsonSchema } from './derive-place.js';

/** The field with the actor. The API takes the actor from the token, and never from the request. */
const ACTOR = 'actor';

/** Places of the actor in requests, beside the input's other fields: the request of an operation. */
const WITHIN = ['request'] as const;

/** An input's schema without the fields that carry identity. */
export function dropIdentity(schema: JsonSchema): JsonSchema {
  const properties = schema.properties as Record<string, JsonSchema> | undefined;
  if (!properties) return schema;
  const kept = Object.entries(properties)
    .filter(([key]) => key !== ACTOR)
    .map(([key, inside]) => [key, (WITHIN as readonly string[]).includes(key) ? dropIdentity(inside) : inside]);
  return { ...schema, properties: Object.fromEntries(kept) };
}

/** Refuses an input with an actor. @throws inputError `bad-request` */
export function refuseIdentity(input: Readonly<Record<string, unknown>>, method: string): void {
  const places: [string, unknown][] = [['', input], ...WITHIN.map((key): [string, unknown] => [`${key}.`, input[key]])];
  for (const [at, value] of places) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, ACTOR)) continue;
    throw inputError({
      code: 'bad-request',
      what: 'read the request',
      on: method,
      why: `${at}${ACTOR}: the owner of the token is recorded as the actor, and a request cannot name another`,
      hint: `remove ${at}${ACTOR}`,
    });
  }
}
