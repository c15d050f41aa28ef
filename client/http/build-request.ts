import type { MethodPlace } from '../../app/method-place.js';
import { inputError } from '../../core/errors.js';

/** Below which all methods are. */
const PREFIX = '/v1';

/** Parts of an HTTP request for a method. */
export interface HttpRequest {
  verb: MethodPlace['verb'];
  /** With its query. */
  path: string;
  /** JSON; absent if the verb has no body. */
  body?: string;
}

type Fields = Readonly<Record<string, unknown>>;

/**
 * Builds the request of a method: its input goes into path, query or body, as its place in REST requires. The actor is
 * left out, since the server knows the owner of the token.
 *
 * @throws inputError `bad-request` if a value cannot be in a URL
 */
export function buildRequest(method: string, { verb, path }: MethodPlace, input: unknown): HttpRequest {
  const fields = withoutActor((input ?? {}) as Fields);
  const inPath = new Set<string>();
  const filled = path.replace(/\{(\w+)\}/g, (_, key: string) => {
    inPath.add(key);
    const value = fields[key];
    // An empty part would be another path, and so another method.
    if (typeof value !== 'string' || value === '') throw refuse(method, `${key} is missing`);
    // These would change the path too: URL parsers take them for folders.
    if (value === '.' || value === '..') throw refuse(method, `${key} cannot be "${value}"`);
    return encodeURIComponent(value);
  });
  const rest = Object.entries(fields).filter(([key, value]) => !inPath.has(key) && value !== undefined);
  if (verb === 'POST' || verb === 'PUT')
    return { verb, path: `${PREFIX}${filled}`, body: JSON.stringify(Object.fromEntries(rest)) };
  const query = rest.flatMap(([key, value]) => parametersOf(method, key, value)).join('&');
  return { verb, path: `${PREFIX}${filled}${query === '' ? '' : `?${query}`}` };
}

/** `filter[kind]=x` for a field of an object, `marks=failed,running` for a list. */
function parametersOf(method: string, key: string, value: unknown): string[] {
  if (typeof value === 'object' && value !== null && !Array.isArray(value))
    return Object.entries(value).flatMap(([field, inside]) =>
      inside === undefined ? [] : [`${key}[${field}]=${textOf(method, key, inside)}`],
    );
  return [`${key}=${textOf(method, key, value)}`];
}

function textOf(method: string, key: string, value: unknown): string {
  if (!Array.isArray(value)) return encodeURIComponent(String(value));
  const texts = value.map(String);
  if (texts.some((text) => text.includes(','))) throw refuse(method, `${key}: a value of a list has a comma`);
  return texts.map(encodeURIComponent).join(',');
}

/** Removes an actor beside the other fields, or in the request of an operation. */
function withoutActor(input: Fields): Fields {
  const { actor: _, request, ...rest } = input;
  if (typeof request !== 'object' || request === null) return request === undefined ? rest : { ...rest, request };
  const { actor: __, ...asked } = request as Fields;
  return { ...rest, request: asked };
}

const refuse = (on: string, why: string) => inputError({ code: 'bad-request', what: 'write the request', on, why });
